import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { relayStderr } from './relay-stderr.ts'
import { explainStart, type ServerEnd } from './server-end.ts'

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
  /** Ends the server: closes its input and waits `graceMs`, then sends SIGTERM and waits again, then sends SIGKILL. */
  stop(graceMs?: number): Promise<void>
}

const defaultGraceMs = 2000

/**
 * Starts a tool server with pipes for its input and outputs. `relayStderr` copies the server's standard error to `stderr`,
 * under the server's name.
 */
export function spawnServer(given: ServerCommand, server: string, stderr: Writable): ServerProcess {
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
  const ended = endOf(child, given)
  // If no file descriptors are free, there are no pipes.
  if (!child.stdin || !child.stdout || !child.stderr) return notStarted(ended)
  const exited = ended.then(({ code }) => code)
  relayStderr(child.stderr, stderr, server, Object.values(secrets))
  // Ignores write errors, because `exited` already reports that the server has stopped. Without this handler, a write error
  // would crash the edge.
  child.stdin.on('error', () => {})
  const stop = async (graceMs = defaultGraceMs) => {
    child.stdin.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await endsWithin(exited, graceMs)) return
      killGroup(child.pid, signal)
    }
    await exited
  }
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

function endOf(child: ChildProcessByStdio<Writable, Readable, Readable>, given: ServerCommand): Promise<ServerEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(failedStart(given, error))
    })
    // `close` is emitted after the last byte of the server's output.
    child.once('close', (code, signal) => {
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal, startError: null })
    })
  })
}

async function endsWithin(exited: Promise<number>, graceMs: number): Promise<boolean> {
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
