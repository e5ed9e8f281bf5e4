import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

const root = join(import.meta.dirname, '../..')

/** A shell in the folder of the repository, with a home folder and an edge port of its own. It runs what the dashboard shows. */
export class Shell {
  private readonly home: string
  private readonly port: number
  private readonly started: ChildProcess[] = []

  private constructor(home: string, port: number) {
    this.home = home
    this.port = port
  }

  static async open(): Promise<Shell> {
    return new Shell(await mkdtemp(join(tmpdir(), 'mandate-shell-')), await freePort())
  }

  /** Starts a command that runs until the shell is closed. */
  start(command: string): void {
    const child = this.spawn(command)
    child.stdout?.resume()
    child.stderr?.resume()
  }

  /** Runs a command to its end. */
  async run(command: string): Promise<{ code: number | null; stdout: string }> {
    const child = this.spawn(command)
    let stdout = ''
    child.stdout?.on('data', (chunk) => (stdout += chunk))
    child.stderr?.resume()
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, stdout }
  }

  /** Stops what still runs, and removes the home folder. */
  async close(): Promise<void> {
    for (const child of this.started) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = new Promise((resolve) => child.once('exit', resolve))
      // The group: the shell, npm and the edge.
      process.kill(-(child.pid as number), 'SIGTERM')
      await ended
    }
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 })
  }

  private spawn(command: string): ChildProcess {
    const listen = { MANDATE_EDGE_PORT: String(this.port), MANDATE_EDGE_LISTEN: `http://127.0.0.1:${this.port}` }
    const env = { PATH: process.env.PATH, HOME: this.home, npm_config_update_notifier: 'false', ...listen }
    const child = spawn('sh', ['-c', command], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    this.started.push(child)
    return child
  }
}
