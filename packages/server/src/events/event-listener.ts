import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { connectionConfig } from '../db/connections/connection-config.ts'
import { keepalives } from '../db/connections/keepalives.ts'
import { WatchedClient } from '../db/connections/watched-client.ts'

const firstPauseMs = 100
const longestPauseMs = 5_000

interface Options {
  url: string
  log: Logger
  channels: readonly string[]
  onNotified(channel: string, payload: string): void
  /** Called when notifications arrive, at first and after each interruption. Those of the time before are lost. */
  onListening(): void
  /** How long the connection may stay silent after a question before it counts as dead. */
  lateMs?: number
}

/** A connection that receives PostgreSQL's notifications. If it is lost, it is opened again. */
export class EventListener {
  private readonly options: Options
  private readonly stopping = new AbortController()
  private client: WatchedClient | undefined
  private readonly running: Promise<void>

  constructor(options: Options) {
    this.options = options
    this.running = this.run()
  }

  /** Asks the connection for a sign of life. Call it every few seconds. A connection that did not answer the last question in time is replaced. */
  check(): void {
    const { client } = this
    if (!client) return
    if (client.waitingMs > (this.options.lateMs ?? 5_000)) client.abandon('the connection for events does not answer')
    else if (client.waitingMs === 0) client.query('select 1').catch(() => {})
  }

  async close(): Promise<void> {
    this.stopping.abort()
    this.client?.abandon('the server stops')
    await this.running
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      try {
        await this.listen(() => {
          pauseMs = firstPauseMs
        })
      } catch (error) {
        if (!signal.aborted)
          this.options.log.warn({ err: error }, 'the connection for events was lost; it is opened again')
      }
      await pause(pauseMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    }
  }

  /** Receives notifications until the connection ends. */
  private async listen(onOpen: () => void): Promise<void> {
    const { url, channels, onNotified, onListening } = this.options
    const client = new WatchedClient({
      ...connectionConfig(url, { ...keepalives, role: 'mandate_app' }),
      application_name: 'mandate events',
    })
    const ended = new Promise<Error>((resolve) => {
      client.on('error', resolve)
      client.on('end', () => resolve(new Error('the database closed the connection')))
    })
    client.on('notification', ({ channel, payload = '' }) => onNotified(channel, payload))
    this.client = client
    try {
      await client.connect()
      for (const channel of channels) await client.query(`listen ${channel}`)
      onOpen()
      onListening()
      throw await ended
    } finally {
      this.client = undefined
      client.abandon('the connection for events has ended')
    }
  }
}
