import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { Account } from './account.ts'

/** How to start a program as the account; made once per start, since it asks the system what it offers. */
export type Launcher = (
  program: string,
  args: string[],
  stdio: { input?: string; output: number | 'pipe' },
) => ChildProcess

/**
 * A launcher whose programs end with this process where the system can see to that (setpriv, Linux), stay out of the
 * terminal's Ctrl-C, and inherit none of the environment but PATH, so that no PG* variable of the caller leaks in.
 */
export function launcherFor(account: Account): Launcher {
  const prefix: string[] = []
  if (account.kind === 'mapped') prefix.push('unshare', '-U', '--map-user=65534', '--')
  // fires when the thread that spawned it ends: a start in a worker thread ends with the worker
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

/** Runs a program to its end. Throws with what it printed when it fails. */
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
