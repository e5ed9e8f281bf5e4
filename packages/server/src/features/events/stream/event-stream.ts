import { Readable } from 'node:stream'
import { type EventType, eventTypes } from '@mandate/contract/events'
import type { Member } from '../../../authz/actor.ts'
import { scopesPermit } from '../../../authz/scopes.ts'
import type { StreamMetrics } from '../../../metrics/stream-metrics.ts'
import { ConfirmationWindow } from './confirmation-window.ts'
import { DecisionWindow } from './decision-window.ts'
import { eventText } from './stream-event.ts'

/** A reader that has more unread bytes than this when the next events come is disconnected. */
export const mostUnreadBytes = 256 * 1024
/** Bytes of events that may wait until the missed ones are sent. */
export const mostHeldBytes = 128 * 1024
/** A reader that has not read everything in this many checks in a row is disconnected. */
export const mostUnreadChecks = 3
/** While missed events are read, the next page waits until fewer bytes than this are unread. */
const pageBelowBytes = 64 * 1024

export interface StreamOptions {
  types: readonly EventType[] | undefined
  /** `all`, or the id of an agent. */
  decisions: string | undefined
}

/** Who is told of a stream. */
export interface StreamWatch {
  metrics: StreamMetrics
  onClosed(): void
}

/** One open response. */
export class EventStream {
  /** The caller, as last verified. */
  actor: Member
  /** Rows with a lower number were read before this stream was added. */
  firstNumber = 0
  readonly options: StreamOptions
  readonly response: Readable
  private readonly metrics: StreamMetrics
  readonly window = new DecisionWindow((skipped, rowId) => this.sendSkipped(skipped, rowId))
  readonly confirmations = new ConfirmationWindow()
  /** New events that wait until the missed events are sent. Null after all missed events are sent. */
  private held: (string | Buffer)[] | null = null
  private heldBytes = 0
  private unreadChecks = 0
  private onDrained: (() => void) | undefined
  private isEnding = false
  private readonly expiry: NodeJS.Timeout | undefined

  constructor(actor: Member, options: StreamOptions, { metrics, onClosed }: StreamWatch) {
    this.actor = actor
    this.options = options
    this.metrics = metrics
    metrics.opened()
    this.response = new Readable({
      read: () => this.onDrained?.(),
    })
    const { tokenExpiresAt } = actor
    if (tokenExpiresAt !== undefined) this.expiry = setTimeout(() => this.end(), tokenExpiresAt * 1000 - Date.now())
    this.response.once('close', () => {
      clearTimeout(this.expiry)
      this.window.close()
      this.onDrained?.()
      metrics.closed()
      onClosed()
    })
  }

  get isOpen(): boolean {
    return !this.isEnding && !this.response.destroyed
  }

  /** True if the caller asked for events of this type and the scopes of the key include its resource. */
  wants(type: EventType, actor = this.actor): boolean {
    const { types } = this.options
    if (types && !types.includes(type)) return false
    return scopesPermit(actor.key?.scopes ?? [], eventTypes[type], 'GET')
  }

  /** Sends text, or the bytes of a text, after everything else. `events` is the number of events in the text. */
  send(text: string | Buffer, events = 0): void {
    if (!this.isOpen) return
    if (this.held ? this.heldBytes > mostHeldBytes : this.response.readableLength > mostUnreadBytes) {
      this.cutOff()
      return
    }
    this.metrics.sent(events)
    if (this.held) {
      this.held.push(text)
      this.heldBytes += text.length
    } else {
      this.response.push(text)
    }
  }

  private cutOff(): void {
    this.metrics.cutOff()
    this.response.destroy()
  }

  private sendSkipped(skipped: number, rowId: string): void {
    if (!this.wants('decision.skipped')) return
    const id = `${rowId}.skipped`
    this.send(
      eventText('decision.skipped', id, { id, type: 'decision.skipped', at: new Date().toISOString(), skipped }),
      1,
    )
  }

  /** Holds back events until `release`, and lets `sendMissed` send earlier ones. */
  hold(): void {
    this.held = []
  }

  /** Sends events that come before the held ones. Resolves when the reader has read most of them. */
  async sendMissed(text: string, events = 0): Promise<void> {
    if (!this.isOpen) return
    this.metrics.sent(events)
    this.response.push(text)
    while (this.isOpen && this.response.readableLength > pageBelowBytes) {
      await new Promise<void>((resolve) => {
        this.onDrained = resolve
      })
    }
  }

  release(): void {
    const held = this.held ?? []
    this.held = null
    this.heldBytes = 0
    if (this.isOpen) for (const text of held) this.response.push(text)
  }

  /** Sends a comment, so that proxies keep the connection. Call it every 15 seconds. */
  keepAlive(text: string): void {
    this.unreadChecks = this.response.readableLength > 0 ? this.unreadChecks + 1 : 0
    if (this.unreadChecks >= mostUnreadChecks) this.cutOff()
    else this.send(text)
  }

  /** Ends the response after what was sent. */
  end(): void {
    if (!this.isOpen) return
    this.isEnding = true
    this.held = null
    this.response.push(null)
    this.onDrained?.()
  }
}
