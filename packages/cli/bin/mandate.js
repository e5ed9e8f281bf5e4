#!/usr/bin/env node
// Plain JavaScript that older versions of Node can read: the program itself needs the one that the project brings along.
import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const neededMajor = 24
// A coding agent lets a call pass when its hook fails with any other code than 2.
const failureCode = process.argv[2] === 'edge' && process.argv.includes('hook') ? 2 : 1

if (failureCode === 2) {
  // The error may be that nothing can be written, so the exit code comes first.
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
  // Compiled code is kept where only those can write who can write the code itself.
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
    process.stderr.write(`mandate: Node ${neededMajor} or newer is needed; \`npm ci\` in the project brings it\n`)
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
