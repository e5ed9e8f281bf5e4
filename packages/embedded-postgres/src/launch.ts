import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { Account } from './account.ts'

/**
 * Starts a program as the account that PostgreSQL runs as. Use one launcher for all programs, because creating a launcher is
 * slow: it runs a command to find out what the system supports.
 */
export type Launcher = (
  program: string,
  args: string[],
  stdio: { input?: string; output: number | 'pipe' },
) => ChildProcess

/**
 * Creates a launcher. Its programs do not receive Ctrl-C from the terminal. They inherit only the environment variable PATH, so
 * PG* variables of the caller have no effect. On Linux with `setpriv`, its programs end when this process ends.
 */
export function launcherFor(account: Account): Launcher {
  const prefix: string[] = []
  if (account.kind === 'mapped') prefix.push('unshare', '-U', '--map-user=65534', '--')
  // With `--pdeathsig INT`, the system sends SIGINT to a program when the thread that started the program ends. If that thread
  // is a worker thread, the program ends with the worker thread, even if this process continues.
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

/**
 * Runs a program and waits for its end.
 * @throws with the program's output if it fails
 */
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
