#!/usr/bin/env node
// Plain JavaScript, so that an older Node can run this file and start the program with the Node that npm installed. It has no
// imports at its top, because each of them would delay every start.
const neededMajor = 24
// A coding agent lets a call pass if its hook fails with an exit code other than 2.
const failureCode = process.argv[2] === 'edge' && process.argv.includes('hook') ? 2 : 1

if (failureCode === 2) {
  // Sets the exit code first, because writing the message may fail too.
  process.on('uncaughtException', (error) => {
    process.exitCode = failureCode
    try {
      process.getBuiltinModule('node:fs').writeSync(2, `mandate: ${error.message}\n`)
    } finally {
      process.exit(failureCode)
    }
  })
}

if (Number(process.versions.node.split('.')[0]) >= neededMajor) {
  const { enableCompileCache } = process.getBuiltinModule('node:module')
  // The cache is in node_modules: a user who can write there can change the code anyway.
  enableCompileCache(`${import.meta.dirname}/../../../node_modules/.cache/compiled`)
  // With this variable, the driver of PostgreSQL would look for a native module that is not installed.
  delete process.env.NODE_PG_FORCE_NATIVE
  await import('../src/main.ts')
} else {
  await runWith(await ownNode())
}

async function ownNode() {
  const { createRequire } = await import('node:module')
  try {
    return createRequire(import.meta.url).resolve('node/bin/node')
  } catch {
    process.stderr.write(
      `mandate: Node ${neededMajor} or newer is required; run \`npm ci\` in the project to install it\n`,
    )
    process.exit(failureCode)
  }
}

async function runWith(node) {
  const { spawn } = await import('node:child_process')
  const { fileURLToPath } = await import('node:url')
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => {
    process.stderr.write(`mandate: ${node} cannot be run: ${error.message}\n`)
    process.exit(failureCode)
  })
  child.once('exit', (code) => process.exit(code ?? failureCode))
}
