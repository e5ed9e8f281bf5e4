import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

const root = join(import.meta.dirname, '../..')
const startLimitMs = 150_000

/** A server of its own, as `npm start` runs it. */
export interface OwnServer {
  url: string
  /** The folder with its database and its mails. */
  folder: string
  /** Stops the server and removes its folder. */
  stop: () => Promise<void>
  /** Stops the server, as for an update. Its data stays. */
  halt: () => Promise<void>
  /** Starts a halted server at the same address with the same data. */
  resume: (settings?: Record<string, string>) => Promise<void>
}

/** Starts the server with its embedded database in a temporary folder. The dashboard must be built. */
export async function startServer(settings: Record<string, string> = {}): Promise<OwnServer> {
  if (!existsSync(join(root, 'packages/web/dist/index.html'))) throw new Error('run npm run build:web first')
  const folder = await mkdtemp(join(tmpdir(), 'mandate-browser-'))
  const port = await freePort()
  let server: ChildProcess | undefined
  const halt = async () => {
    if (!server) return
    const ended = new Promise((resolve) => server?.once('exit', resolve))
    if (server.exitCode === null && server.kill('SIGTERM')) await ended
    server = undefined
  }
  const stop = async () => {
    await halt()
    await rm(folder, { recursive: true, force: true })
  }
  const resume = async (more: Record<string, string> = {}) => {
    server ??= await launch({ folder, port, settings: { ...settings, ...more } })
  }
  try {
    await resume()
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `http://127.0.0.1:${port}`, folder, stop, halt, resume }
}

interface Launch {
  folder: string
  port: number
  settings: Record<string, string>
}

async function launch({ folder, port, settings }: Launch): Promise<ChildProcess> {
  const env = {
    ...process.env,
    DATA_DIR: folder,
    PORT: String(port),
    // All requests come from one address.
    MANDATE_API_RATE: '1000000',
    // Several tests at once may be one person.
    MANDATE_SESSION_RATE: '1000000',
    MANDATE_EDGE_RATE: '1000000',
    MANDATE_AUTH_THROTTLE: 'off',
    ...settings,
  }
  const logFile = join(folder, 'server.log')
  const log = openSync(logFile, 'w')
  const stdio: StdioOptions = ['ignore', log, log]
  const server = spawn(process.execPath, [join(root, 'packages/cli/src/main.ts'), 'up'], { env, stdio })
  closeSync(log)
  if (await becomesReady(`http://127.0.0.1:${port}/readyz`, server)) return server
  server.kill('SIGKILL')
  throw new Error(`the server did not start:\n${(await readFile(logFile, 'utf8')).slice(-2000)}`)
}

async function becomesReady(url: string, server: ChildProcess): Promise<boolean> {
  const giveUpAt = Date.now() + startLimitMs
  while (Date.now() < giveUpAt && server.exitCode === null) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}
