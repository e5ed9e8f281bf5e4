#!/usr/bin/env node
// Plain JavaScript, so that an older Node can run this file and start the program with the Node that npm installed.
import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const neededMajor = 24
// A coding agent lets a call pass if its hook fails with an exit code other than 2.
const failureCode = process.argv[2] === 'edge' && process.argv.includes('hook') ? 2 : 1

if (failureCode === 2) {
  // Sets the exit code first, because writing the message may fail too.
  process.on('uncaughtException', (error) => {
    process.exitCode = failureCode
    try {
      writeSync(2, `mandate: ${error.message}\n`)
    } finally {
      process.exit(failureCode)
    }
  })
}

if (Number(process.versions.node.split('.')[0]) >= neededMajor) {
  const { enableCompileCache } = await import('node:module')
  // The cache is in node_modules: a user who can write there can change the code anyway.
  enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)))
  await import('../src/main.ts')
} else {
  runWith(ownNode())
}

function ownNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json')
    return join(dirname(manifest), 'bin', 'node')
  } catch {
    process.stderr.write(
      `mandate: Node ${neededMajor} or newer is required; run \`npm ci\` in the project to install it\n`,
    )
    process.exit(failureCode)
  }
}

function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => {
    process.stderr.write(`mandate: ${node} cannot be run: ${error.message}\n`)
    process.exit(failureCode)
  })
  child.once('exit', (code) => process.exit(code ?? failureCode))
}
