import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { relayStderr } from './relay-stderr.ts'

/** A tool server to start. `env` is all that it gets: nothing of the edge's own environment is added. */
export interface ServerCommand {
  readonly command: string
  readonly args?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
  /** How long the server may take to answer a request of a client of the gateway, in milliseconds; no limit if absent. */
  readonly timeoutMs?: number | undefined
}

export interface ServerProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  /** The exit code; 128 and more where a signal ended it, 127 where it could not be started. */
  readonly exited: Promise<number>
  /** Closes its input and waits; asks it to end, then ends it, when each takes longer than `graceMs`. */
  stop(graceMs?: number): Promise<void>
}

const defaultGraceMs = 2000

/** Starts a tool server on pipes. `relayStderr` writes its standard error to `stderr`, under the server's name. */
export function spawnServer(
  { command, args = [], env, cwd }: ServerCommand,
  server: string,
  stderr: Writable,
): ServerProcess {
  // A group of its own, so that a wrapper such as npx goes together with the server it started.
  const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  // First of all: without file descriptors left there are no pipes either, and what follows throws.
  const exited = exitOf(child)
  relayStderr(child.stderr, stderr, server)
  // A server that is gone shows in `exited`; a write that meets it must not end the edge.
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
    // `close` comes after the last byte of its output.
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
    // The group is gone already.
  }
}
