import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { relayStderr } from './relay-stderr.ts'

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
  /** Ends the server: closes its input and waits `graceMs`, then sends SIGTERM and waits again, then sends SIGKILL. */
  stop(graceMs?: number): Promise<void>
}

const defaultGraceMs = 2000

/**
 * Starts a tool server with pipes for its input and outputs. `relayStderr` copies the server's standard error to `stderr`,
 * under the server's name.
 */
export function spawnServer(
  { command, args = [], env, secrets = {}, cwd }: ServerCommand,
  server: string,
  stderr: Writable,
): ServerProcess {
  // The server gets its own process group. A signal to the group also reaches a server behind a wrapper such as npx.
  const child = spawn(command, args, {
    env: { ...env, ...secrets },
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  // `exitOf` must register its handler for `error` events first. If no file descriptors are free, there are no pipes, and the
  // next lines throw. Without the handler, the later `error` event would end the edge.
  const exited = exitOf(child)
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
  return { stdin: child.stdin, stdout: child.stdout, exited, stop }
}

function exitOf(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => child.pid === undefined && resolve(127))
    // `close` is emitted after the last byte of the server's output.
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal === 'SIGKILL' ? 9 : 15)))
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
