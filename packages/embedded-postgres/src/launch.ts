import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { Account } from './account.ts'

/** Starts a program as the account. Created once per start, because it checks what the system offers. */
export type Launcher = (
  program: string,
  args: string[],
  stdio: { input?: string; output: number | 'pipe' },
) => ChildProcess

/**
 * Creates a launcher. Its programs end with this process if the system supports it (setpriv, Linux), get no Ctrl-C of the
 * terminal, and inherit only PATH, so that PG* variables of the caller have no effect.
 */
export function launcherFor(account: Account): Launcher {
  const prefix: string[] = []
  if (account.kind === 'mapped') prefix.push('unshare', '-U', '--map-user=65534', '--')
  // the signal is sent when the thread that spawned it ends, so a server that a worker thread starts ends with the worker
  const diesWithParent = spawnSync('setpriv', ['--pdeathsig', 'INT', 'true'], { stdio: 'ignore' }).status === 0
  if (diesWithParent) prefix.push('setpriv', '--pdeathsig', 'INT', '--')
  const identity = account.kind === 'other' ? { uid: account.uid, gid: account.gid } : {}
  return (program, args, { input, output }) => {
    const [file = program, ...rest] = [...prefix, program, ...args]
    const child = spawn(file, rest, {
      ...identity,
      cwd: '/',
      detached: true,
      env: { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: [input === undefined ? 'ignore' : 'pipe', output, output],
    })
    if (input !== undefined) child.stdin?.on('error', () => {}).end(input)
    return child
  }
}

/** Runs a program to its end. @throws with its output if it fails */
export async function runToEnd(launch: Launcher, program: string, args: string[], input?: string): Promise<void> {
  const child = launch(program, args, { input, output: 'pipe' })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      printed += chunk
    })
  const ended = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(String(signal ?? code)))
  })
  if (ended !== '0') throw new Error(`${program} ended with ${ended}: ${printed.trim()}`)
}
