import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainEnvironment } from '../invocation/environment.ts'
import { Failure } from '../invocation/failure.ts'
import type { Stage } from './stage.ts'

const program = fileURLToPath(new URL('../../bin/mandate.js', import.meta.url))
const startLimitMs = 90_000
const stopLimitMs = 20_000

/**
 * Starts `mandate …` as a child process. Its environment contains only `settings` and basic variables such as PATH. Writes its
 * log to a file in the demonstration's folder.
 * @returns the JSON log line that contains the URL at which the process listens
 * @throws Failure if the process exits early, or does not listen in time
 */
export async function startProcess(
  { folder, signal, atEnd }: Stage,
  name: string,
  args: readonly string[],
  settings: Record<string, string>,
): Promise<Record<string, unknown>> {
  signal.throwIfAborted()
  // A separate process group: Ctrl-C reaches only the demonstration, which then stops the child itself.
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    detached: true,
    env: { ...plainEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  atEnd(() => stop(child))
  // Stops the child if the demonstration exits unexpectedly.
  const endWithUs = () => void child.kill('SIGTERM')
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  const log = createWriteStream(join(folder, `${name.replaceAll(' ', '-')}.log`))
  return await new Promise((resolve, reject) => {
    let [output, listens] = ['', false]
    const fail = (message: string) => reject(new Failure(`${message}:\n${output.trim().slice(-2000)}`))
    const onTimeout = () => fail(`the ${name} did not start within ${startLimitMs / 1000} seconds`)
    const timer = setTimeout(onTimeout, startLimitMs).unref()
    child.once('error', (error) => fail(`the ${name} could not be started (${error.message})`))
    child.once('exit', () => fail(`the ${name} exited before it accepted connections`))
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
