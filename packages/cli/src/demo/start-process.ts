import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainEnvironment } from '../environment.ts'
import { Failure } from '../failure.ts'
import type { Stage } from './stage.ts'

const program = fileURLToPath(new URL('../../bin/mandate.js', import.meta.url))
const startLimitMs = 90_000
const stopLimitMs = 20_000

/**
 * Starts `mandate …` as a process of its own with these settings alone, and answers the line of its log that says where it
 * listens. The log is kept in the folder.
 * @throws Failure when it ends or does not listen
 */
export async function startProcess(
  { folder, signal, atEnd }: Stage,
  name: string,
  args: readonly string[],
  settings: Record<string, string>,
): Promise<Record<string, unknown>> {
  signal.throwIfAborted()
  // In a group of its own: what Ctrl-C means is for the demonstration to say.
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    detached: true,
    env: { ...plainEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  atEnd(() => stop(child))
  // For an end that nobody foresaw.
  const endWithUs = () => void child.kill('SIGTERM')
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  const log = createWriteStream(join(folder, `${name.replaceAll(' ', '-')}.log`))
  return await new Promise((resolve, reject) => {
    let [output, listens] = ['', false]
    const fail = (why: string) => reject(new Failure(`the ${name} ${why}:\n${output.trim().slice(-2000)}`))
    const timer = setTimeout(() => fail('did not start in time'), startLimitMs).unref()
    child.once('error', (error) => fail(`cannot be run (${error.message})`))
    child.once('exit', () => fail('ended instead of listening'))
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        log.write(chunk)
        if (listens) return
        output += chunk
        const line = output.split('\n').find((text) => text.startsWith('{') && text.includes('"msg":"listening"}'))
        if (line === undefined) return
        clearTimeout(timer)
        listens = true
        resolve(JSON.parse(line))
      })
    }
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
  await ended
  clearTimeout(timer)
}
