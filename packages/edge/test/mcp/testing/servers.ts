import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const resolve = createRequire(import.meta.url).resolve
const programOf = (name: string) =>
  join(dirname(resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist/index.js')

export const everything = programOf('server-everything')
export const filesystem = programOf('server-filesystem')
export const memory = programOf('server-memory')

/** The command line that runs a tool server behind the stdio edge, under a policy. */
export function behindEdge(server: string, document: object, command: readonly string[]): string[] {
  return [join(import.meta.dirname, 'stdio-edge-process.ts'), JSON.stringify({ server, document }), ...command]
}

/** Starts the reference server `everything` as a separate HTTP server. */
export async function startEverything(
  transport: 'streamableHttp' | 'sse' = 'streamableHttp',
): Promise<{ url: string; process: ChildProcess; stop(): Promise<void> }> {
  const port = await freePort()
  const process = spawn(globalThis.process.execPath, [everything, transport], {
    env: { ...globalThis.process.env, PORT: String(port) },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`
  const isUp = async () => {
    const answer = await fetch(url)
    await answer.body?.cancel()
    return true
  }
  while (!(await isUp().catch(() => false))) await pause(20)
  const stop = async () => {
    if (process.exitCode === null && process.signalCode === null) {
      process.kill('SIGKILL')
      await once(process, 'exit')
    }
  }
  return { url, process, stop }
}

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
