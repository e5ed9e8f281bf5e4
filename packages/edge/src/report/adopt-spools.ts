import type { Logger } from 'pino'
import type { AbandonedSeat, EdgeState } from '../state/open-state.ts'
import type { DecisionSigning } from './decision-signing.ts'
import { SeatKeys, type SeatKeysParts } from './seat-keys.ts'
import { hasSegments, type Spool } from './spool.ts'

export interface AdoptParts extends Omit<SeatKeysParts, 'seat'> {
  state: Pick<EdgeState, 'abandoned'>
  spool: Spool
  signing: DecisionSigning
  log: Logger
}

/**
 * Sends the decisions that ended edges left on disk, with the keys of their seats. A seat stays locked until its decisions are
 * sent and counted. So no other edge continues a chain whose earlier records are not sent yet.
 */
export class AdoptedSpools {
  private readonly parts: AdoptParts
  private readonly held = new Set<AbandonedSeat>()
  /** The last logged reason for each seat that cannot be taken over. */
  private readonly logged = new Map<string, string>()

  constructor(parts: AdoptParts) {
    this.parts = parts
  }

  /** Takes over the spools of edges that have ended. */
  async adopt(): Promise<void> {
    const seats = await this.parts.state.abandoned((seat, error) => this.notAdopted(seat, error))
    for (const seat of seats) this.held.add(seat)
    for (const seat of seats) {
      try {
        if (!(await this.adoptOne(seat))) this.release(seat)
      } catch (error) {
        this.release(seat)
        this.notAdopted(seat.seat, error as Error)
      }
    }
  }

  /** Releases all seats. Decisions that are not sent yet stay in their seats. Call this after the spool was closed. */
  close(): void {
    for (const seat of this.held) this.release(seat)
  }

  /** Returns false if the seat has no decisions for this edge to send. */
  private async adoptOne(seat: AbandonedSeat): Promise<boolean> {
    const { spool, signing, log, seal, agentIds } = this.parts
    if (!(await hasSegments(seat.spool))) return false
    const keys = await SeatKeys.read({ seat: seat.seat, seal, agentIds, log })
    signing.take(keys)
    const onEmpty = () => {
      signing.drop(keys)
      this.release(seat)
    }
    const segments = await spool.adopt(seat.spool, keys, onEmpty)
    if (segments === 0) {
      signing.drop(keys)
      return false
    }
    log.info({ segments, seat: seat.seat }, 'sending the decisions that an edge left on disk when it ended')
    return true
  }

  private notAdopted(seat: string, { message }: Error): void {
    if (this.logged.get(seat) === message) return
    this.logged.set(seat, message)
    this.parts.log.warn({ seat, reason: message }, 'cannot take over the decisions that an edge left on disk')
  }

  private release(seat: AbandonedSeat): void {
    if (this.held.delete(seat)) seat.release()
  }
}
