import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'

/** Starts a real Redis that stores nothing on disk, so a restart loses its counts. */
export interface TestRedis {
  readonly port: number
  stop(): Promise<void>
  start(): Promise<void>
}

/** True if redis-server is installed on this machine. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

export async function startRedis(): Promise<TestRedis> {
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    child = spawn('redis-server', args, { stdio: 'ignore', cwd: '/' })
    const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50 })
    client.on('error', () => {})
    while ((await client.ping().catch(() => '')) !== 'PONG') await pause(50)
    client.disconnect()
  }
  const stop = async () => {
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    if (child?.exitCode !== null || !child.kill('SIGKILL')) return
    await ended
  }
  await start()
  return { port, start, stop }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
