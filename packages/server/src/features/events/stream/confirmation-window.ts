import type { ConfirmationKey, StoredConfirmations } from '../../../events/confirmation-events.ts'

/** Maximum number of confirmations that a stream sends in a second, and of freezes whose progress it sends. */
const mostInWindow = 20
const windowMs = 1_000
/** Maximum number of confirmations that wait to be sent. For others, the stream sends the progress of their freezes. */
const mostWaiting = 100
/** Maximum number of freezes that a stream remembers. */
const mostFreezes = 1_000

/** A confirmation that waits to be sent, and the id that its event gets. */
export interface WaitingConfirmation extends ConfirmationKey {
  eventId: string
}

/** What a stream may send now. */
export interface ConfirmationNews {
  confirmations: WaitingConfirmation[]
  /** How many of the confirmations may be sent. */
  room: number
  /** Freezes whose progress is due, with the ids of the events. */
  progress: [freezeId: string, eventId: string][]
}

/** How far a freeze was confirmed. Null if the caller may not know it. */
export interface Totals {
  confirmed: number | null
  total: number | null
}

/**
 * Limits how many confirmations a stream sends. At the end of a second in which confirmations were left out, the progress of their freezes
 * is due. So the last state of a freeze always arrives.
 */
export class ConfirmationWindow {
  private startedAt = Number.NEGATIVE_INFINITY
  private sent = 0
  private waiting: WaitingConfirmation[] = []
  /** Freezes with confirmations that were left out, and the id of the event that tells their progress. */
  private readonly left = new Map<string, string>()
  /** The totals that were sent last, as text. */
  private readonly told = new Map<string, string>()

  get hasNews(): boolean {
    return this.waiting.length > 0 || this.left.size > 0
  }

  isDue(now: number): boolean {
    return this.waiting.length > 0 || (this.left.size > 0 && this.isOver(now))
  }

  /** Adds the confirmations of a stored event. `now` is in milliseconds, by a clock that only goes forward. */
  add(rowId: string, { named, freezes }: StoredConfirmations, now: number): void {
    this.startIfIdle(now)
    for (const [freezeId, leftOut] of Object.entries(freezes)) {
      if (leftOut > 0) this.leave(freezeId, progressId(rowId, freezeId), now)
    }
    for (const [at, key] of named.entries()) {
      if (this.waiting.length < mostWaiting) this.waiting.push({ ...key, eventId: `${rowId}.${at}` })
      else this.leave(key.freezeId, progressId(rowId, key.freezeId), now)
    }
  }

  /** Makes the progress of a freeze due at the end of the second. */
  leave(freezeId: string, eventId: string, now: number): void {
    this.startIfIdle(now)
    setNewest(this.left, freezeId, eventId)
  }

  /** Takes what may be sent now. */
  take(now: number): ConfirmationNews {
    const isOver = this.isOver(now)
    if (isOver) {
      this.startedAt = now
      this.sent = 0
    }
    const room = mostInWindow - this.sent
    const { waiting } = this
    this.waiting = []
    const progress = isOver ? [...this.left].slice(0, mostInWindow) : []
    for (const [freezeId] of progress) this.left.delete(freezeId)
    if (room > 0) return { confirmations: waiting, room, progress }
    this.leaveAll(waiting, now)
    return { confirmations: [], room, progress }
  }

  /** Leaves out confirmations. */
  leaveAll(confirmations: readonly WaitingConfirmation[], now: number): void {
    for (const { eventId, freezeId } of confirmations) {
      const [rowId = ''] = eventId.split('.', 1)
      this.leave(freezeId, progressId(rowId, freezeId), now)
    }
  }

  /** Gives back what could not be sent. */
  giveBack({ confirmations, progress }: ConfirmationNews, now: number): void {
    this.leaveAll(confirmations, now)
    for (const [freezeId, eventId] of progress) this.leave(freezeId, eventId, now)
  }

  countSent(confirmations: number): void {
    this.sent += confirmations
  }

  /** Notes the totals that are sent. Returns false if they were sent before. */
  tell(freezeId: string, { confirmed, total }: Totals): boolean {
    const text = `${confirmed} ${total}`
    if (this.told.get(freezeId) === text) return false
    setNewest(this.told, freezeId, text)
    return true
  }

  private isOver(now: number): boolean {
    return now - this.startedAt >= windowMs
  }

  private startIfIdle(now: number): void {
    if (this.hasNews || !this.isOver(now)) return
    this.startedAt = now
    this.sent = 0
  }
}

const progressId = (rowId: string, freezeId: string) => `${rowId}.${freezeId}`

/** Sets a value as the newest one, and forgets the oldest value if there are too many. */
function setNewest(map: Map<string, string>, key: string, value: string): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= mostFreezes) return
  const [oldest] = map.keys()
  map.delete(oldest as string)
}
