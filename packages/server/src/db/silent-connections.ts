import { setTimeout as pause } from 'node:timers/promises'
import type { WatchedClient } from './watched-client.ts'

/** Asks the database whether a backend runs a statement; rejects if the database does not answer. */
export type IsBackendBusy = (backendId: number) => Promise<boolean>

/** An answer may be on its way while its backend is already idle: at most this long. */
const inTransitMs = 1_000
/** Opening a connection and asking takes less. */
const probeMs = 5_000

/**
 * Closes connections of transactions whose peer is gone. A late answer alone proves nothing: a statement may run long or wait for a
 * lock. So another connection asks whether the backend still works.
 */
export class SilentConnections {
  private readonly watched = new Set<WatchedClient>()
  private readonly examined = new Set<WatchedClient>()
  private readonly timer: NodeJS.Timeout
  private readonly isBusy: IsBackendBusy
  private readonly lateMs: number
  private readonly longestMs: number

  /** A busy backend is trusted for `longestMs`, in which PostgreSQL's own statement timeout must have fired. */
  constructor(isBusy: IsBackendBusy, lateMs: number, longestMs: number) {
    this.isBusy = isBusy
    this.lateMs = lateMs
    this.longestMs = longestMs
    this.timer = setInterval(() => this.look(), Math.max(50, lateMs / 10))
    this.timer.unref()
  }

  add(client: WatchedClient): void {
    this.watched.add(client)
  }

  remove(client: WatchedClient): void {
    this.watched.delete(client)
  }

  close(): void {
    clearInterval(this.timer)
  }

  private look(): void {
    for (const client of this.watched) {
      // Asked early: the connection that asks may be silent itself, and is late first.
      if (client.waitingMs > this.lateMs / 2 && !this.examined.has(client)) void this.examine(client)
    }
  }

  private async examine(client: WatchedClient): Promise<void> {
    this.examined.add(client)
    const answeredAt = client.lastAnswerAt
    const isBusy = await Promise.race([
      this.isBusy(client.backendId ?? 0).catch(() => false),
      pause(probeMs, false, { ref: false }),
    ])
    if (!isBusy || client.waitingMs > this.longestMs) {
      await pause(inTransitMs, undefined, { ref: false })
      const isSilent = client.lastAnswerAt === answeredAt && client.waitingMs > this.lateMs
      if (isSilent && this.watched.has(client)) client.abandon('the database does not answer on this connection')
    } else {
      await pause(this.lateMs / 2, undefined, { ref: false })
    }
    this.examined.delete(client)
  }
}
