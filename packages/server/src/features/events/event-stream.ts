import { Readable } from 'node:stream'
import { type EventType, eventTypes } from '@mandate/contract/events'
import type { Member } from '../../authz/actor.ts'
import { scopesPermit } from '../../authz/scopes.ts'
import { DecisionWindow } from './decision-window.ts'
import { eventText } from './stream-event.ts'

/** A reader that has more unread bytes than this when the next events come is disconnected. */
const mostUnreadBytes = 256 * 1024
/** Bytes of events that may wait until the missed ones are sent. */
const mostHeldBytes = 128 * 1024
/** A reader that has not read everything in this many checks in a row is disconnected. */
const mostUnreadChecks = 3
/** While missed events are read, the next page waits until fewer bytes than this are unread. */
const pageBelowBytes = 64 * 1024

export interface StreamOptions {
  types: readonly EventType[] | undefined
  /** `all`, or the id of an agent. */
  decisions: string | undefined
}

/** One open response. */
export class EventStream {
  /** The caller, as last verified. */
  actor: Member
  /** Rows with a lower number were read before this stream was added. */
  firstNumber = 0
  readonly options: StreamOptions
  readonly response: Readable
  readonly window = new DecisionWindow((skipped, rowId) => this.sendSkipped(skipped, rowId))
  /** New events that wait until the missed events are sent. Null after all missed events are sent. */
  private held: string[] | null = null
  private heldBytes = 0
  private unreadChecks = 0
  private onDrained: (() => void) | undefined
  private isEnding = false
  private readonly expiry: NodeJS.Timeout | undefined

  constructor(actor: Member, options: StreamOptions, onClosed: () => void) {
    this.actor = actor
    this.options = options
    this.response = new Readable({
      read: () => this.onDrained?.(),
    })
    const { tokenExpiresAt } = actor
    if (tokenExpiresAt !== undefined) this.expiry = setTimeout(() => this.end(), tokenExpiresAt * 1000 - Date.now())
    this.response.once('close', () => {
      clearTimeout(this.expiry)
      this.window.close()
      this.onDrained?.()
      onClosed()
    })
  }

  get isOpen(): boolean {
    return !this.isEnding && !this.response.destroyed
  }

  /** True if the caller asked for events of this type and the scopes of the key include its resource. */
  wants(type: EventType): boolean {
    const { types } = this.options
    if (types && !types.includes(type)) return false
    return scopesPermit(this.actor.key?.scopes ?? [], eventTypes[type], 'GET')
  }

  /** Sends text after everything else. */
  send(text: string): void {
    if (!this.isOpen) return
    if (this.held ? this.heldBytes > mostHeldBytes : this.response.readableLength > mostUnreadBytes) {
      this.response.destroy()
    } else if (this.held) {
      this.held.push(text)
      this.heldBytes += text.length
    } else {
      this.response.push(text)
    }
  }

  private sendSkipped(skipped: number, rowId: string): void {
    if (!this.wants('decision.skipped')) return
    const id = `${rowId}.skipped`
    this.send(
      eventText('decision.skipped', id, { id, type: 'decision.skipped', at: new Date().toISOString(), skipped }),
    )
  }

  /** Holds back events until `release`, and lets `sendMissed` send earlier ones. */
  hold(): void {
    this.held = []
  }

  /** Sends events that come before the held ones. Resolves when the reader has read most of them. */
  async sendMissed(text: string): Promise<void> {
    if (!this.isOpen) return
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
    if (held.length > 0) this.send(held.join(''))
  }

  /** Sends a comment, so that proxies keep the connection. Call it every 15 seconds. */
  keepAlive(text: string): void {
    this.unreadChecks = this.response.readableLength > 0 ? this.unreadChecks + 1 : 0
    if (this.unreadChecks >= mostUnreadChecks) this.response.destroy()
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
