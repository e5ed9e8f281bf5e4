import type { Logger } from 'pino'
import { type DecisionKey, newDecisionKey } from './decision-key.ts'
import type { KeyRegistration } from './key-registration.ts'
import type { SeatKeys } from './seat-keys.ts'

export interface SigningParts {
  /** The keys of the seat of this edge. */
  own: SeatKeys
  registration: KeyRegistration
  /** Called with a new key before its first record. */
  startChain(kid: string): void
  /** A clock in milliseconds that never goes back. */
  now?: () => number
  log: Logger
}

/** How long the edge waits before it offers a key again to a control plane that refused a key. */
const retryMs = 5 * 60_000

/**
 * Chooses the key that signs a batch of decisions. Batches are unsigned only if their key is lost, or if the control plane
 * refuses keys.
 *
 * A chain that was sent unsigned cannot be continued with signatures: the control plane would report a gap before the first
 * signed record. So the edge starts the chain of another key as soon as the control plane accepts a key.
 */
export class DecisionSigning {
  private readonly parts: SigningParts & { now: () => number }
  private readonly taken = new Set<SeatKeys>()
  private readonly lost = new Set<string>()
  private retryAtMs = Number.NEGATIVE_INFINITY
  /** The key that is offered to a control plane that refused a key. The same key is offered until it is accepted. */
  private next: DecisionKey | null = null

  constructor(parts: SigningParts) {
    this.parts = { now: () => performance.now(), ...parts }
  }

  /** Adds the keys of a seat whose records this edge sends. */
  take(keys: SeatKeys): void {
    this.taken.add(keys)
  }

  drop(keys: SeatKeys): void {
    this.taken.delete(keys)
  }

  /**
   * Registers the key for new records, before there are records to send. If the control plane refused keys before, offers a new
   * key from time to time. @throws ControlPlaneAway
   */
  async prepare(signal?: AbortSignal): Promise<void> {
    const { own, registration, startChain, now } = this.parts
    if (own.current === null) return
    const { kid } = own.current
    if (!own.isUnsigned(kid)) return void (await this.keyFor(kid, signal))
    if (now() < this.retryAtMs) return
    this.next ??= newDecisionKey()
    if ((await registration.register(this.next, signal)) === 'refused') {
      this.retryAtMs = now() + retryMs
      return
    }
    await own.replace(this.next)
    startChain(this.next.kid)
    this.next = null
  }

  /** Returns the key that signs the records of a chain. Null if they are sent unsigned. @throws ControlPlaneAway */
  async keyFor(kid: string, signal?: AbortSignal): Promise<DecisionKey | null> {
    const seats = [this.parts.own, ...this.taken]
    if (seats.some((seat) => seat.isUnsigned(kid))) return null
    const seat = seats.find((one) => one.find(kid) !== null)
    const key = seat?.find(kid)
    if (!seat || !key) return this.tellLost(kid)
    if ((await this.parts.registration.register(key, signal)) === 'registered') return key
    this.retryAtMs = this.parts.now() + retryMs
    await seat.markUnsigned(kid)
    return null
  }

  /** Registers a key again, because the control plane no longer knows the key. */
  async renew(kid: string, signal?: AbortSignal): Promise<DecisionKey | null> {
    this.parts.registration.forget(kid)
    return await this.keyFor(kid, signal)
  }

  private tellLost(kid: string): null {
    if (!this.lost.has(kid))
      this.parts.log.warn(
        { kid },
        'the key of recorded decisions is not in the state folder; these decisions are sent unsigned',
      )
    this.lost.add(kid)
    return null
  }
}
