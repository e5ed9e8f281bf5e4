import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { explainStart, type ServerEnd } from '../messages/server-end.ts'
import { type LineMask, relayStderr } from './relay-stderr.ts'

/** A tool server to start. Its environment contains only `env`. It inherits no variables from the edge. */
export interface ServerCommand {
  readonly command: string
  readonly args?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string>>
  /** Environment variables with secrets. They replace variables of the same name. Their values are hidden in the standard error. */
  readonly secrets?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
  /** How long the server may take to answer a request of a gateway client, in milliseconds. There is no limit if this is absent. */
  readonly timeoutMs?: number | undefined
}

export interface ServerProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  /**
   * Resolves with the exit code of the server: 128 plus the signal number if a signal ended the server, 127 if the server
   * could not be started.
   */
  readonly exited: Promise<number>
  /** Resolves with `exited`. */
  readonly ended: Promise<ServerEnd>
  /**
   * Ends the server: closes its input and waits `graceMs`, then sends SIGTERM and waits again, then sends SIGKILL. Also ends the processes that the
   * server started in its group.
   */
  stop(graceMs?: number): Promise<void>
}

/** Both waits of `stop` together are shorter than the two seconds that clients wait before their next step. */
const defaultGraceMs = 400
/** How long a server may take to end after it closed its input or its output. It can answer no more requests. */
const closedDataMs = 1000
/** How long processes that a server left behind may take to end. */
const helperMs = 300
/** How long the output of a server that has ended may wait to be read. */
const unreadMs = 10_000
const lookMs = 20

/** The process groups of servers. They end with the edge, however it ends. */
const groups = new Set<number>()

function rememberGroup(pid: number): void {
  if (groups.size === 0 && !process.listeners('exit').includes(killGroups)) process.on('exit', killGroups)
  groups.add(pid)
}

function killGroups(): void {
  for (const pid of groups) killGroup(pid, 'SIGKILL')
}

/**
 * Starts a tool server with pipes for its input and outputs. `relayStderr` copies the server's standard error to `stderr`,
 * under the server's name. `mask` replaces what the lines must not have.
 */
export function spawnServer(given: ServerCommand, server: string, stderr: Writable, mask?: LineMask): ServerProcess {
  const { command, args = [], env, secrets = {}, cwd } = given
  // The server gets its own process group. A signal to the group also reaches a server behind a wrapper such as npx.
  let child: ChildProcessByStdio<Writable, Readable, Readable>
  try {
    child = spawn(command, args, {
      env: { ...env, ...secrets },
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
  } catch (error) {
    // A NUL in the command or in an argument.
    return notStarted(Promise.resolve(failedStart(given, error as Error)))
  }
  if (child.pid !== undefined) rememberGroup(child.pid)
  const output: Output = { isCut: false }
  const ended = endOf(child, given, output)
  // If no file descriptors are free, there are no pipes.
  if (!child.stdin || !child.stdout || !child.stderr) return notStarted(ended)
  const exited = ended.then(({ code }) => code)
  relayStderr(child.stderr, stderr, server, { secrets: Object.values(secrets), mask })
  const left = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = async (graceMs: number) => {
    child.stdin.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await endsWithin(left, graceMs)) break
      killGroup(child.pid, signal)
    }
    await exited
  }
  const stop = async (graceMs = defaultGraceMs) => {
    output.isCut = true
    await end(graceMs)
  }
  child.stdout.once('end', () => void end(closedDataMs))
  // The server closed its input, or it has ended.
  child.stdin.once('error', () => void end(closedDataMs)).on('error', () => {})
  return { stdin: child.stdin, stdout: child.stdout, exited, ended, stop }
}

function failedStart(given: ServerCommand, error: Error): ServerEnd {
  return { code: 127, signal: null, startError: explainStart(given, error) }
}

/** Stands for a server that did not start. */
function notStarted(ended: Promise<ServerEnd>): ServerProcess {
  const stdin = new Writable({ write: (_chunk, _encoding, done) => done() })
  const exited = ended.then(({ code }) => code)
  return { stdin, stdout: Readable.from([]), exited, ended, stop: async () => void (await exited) }
}

interface Output {
  /** Whether nobody needs the rest of the output. */
  isCut: boolean
}

/** Resolves when the server has left, no process of its group remains, and its output is read or nobody needs it. */
function endOf(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  given: ServerCommand,
  output: Output,
): Promise<ServerEnd> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(failedStart(given, error))
    })
    child.once('exit', async (code, signal) => {
      await endGroup(child.pid)
      // A process outside the group may still hold the pipes.
      const waitMs = () => (output.isCut ? helperMs : unreadMs)
      for (let ms = 0; ms < waitMs() && !(await endsWithin(closed, lookMs)); ms += lookMs) {
        if (ms >= helperMs && child.stdout.readableLength === 0) break
      }
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal, startError: null })
    })
  })
}

/** Ends the processes that a server left behind. They get a short time after SIGTERM. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined) return
  killGroup(pid, 'SIGTERM')
  for (let ms = 0; ms < helperMs && isGroupThere(pid); ms += lookMs) await wait(lookMs)
  killGroup(pid, 'SIGKILL')
  groups.delete(pid)
}

async function endsWithin(exited: Promise<unknown>, graceMs: number): Promise<boolean> {
  const gone = new AbortController()
  const tooLate = wait(graceMs, false, { signal: gone.signal }).catch(() => false)
  const ended = await Promise.race([exited.then(() => true), tooLate])
  gone.abort()
  return ended
}

function killGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The process group has already ended.
  }
}

function isGroupThere(pid: number): boolean {
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}
