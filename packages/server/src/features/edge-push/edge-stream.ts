import { Readable } from 'node:stream'
import type { EdgeActor } from '../../authz/actor.ts'
import type { StreamMetrics } from '../../metrics/stream-metrics.ts'
import type { Reach } from '../edge/reach/reach.ts'
import { servedBy } from '../edge/reach/served.ts'

/** An edge that has more unread bytes than this is disconnected. */
export const mostUnreadBytes = 256 * 1024
/** An edge that has not read everything in this many checks in a row is disconnected. */
export const mostUnreadChecks = 3
/** Maximum number of agents of one stream, as in a heartbeat. Changes of further agents are learned from heartbeats. */
export const mostAgents = 5_000

interface NewEdgeStream {
  actor: EdgeActor
  /** The digest of the key with which the stream was opened. If the agent gets a new key, the stream ends. */
  keyDigest: Buffer
  /** The name of the running edge. Undefined if the stream is about the agents of all instances of the key. */
  instanceId: string | undefined
  metrics: StreamMetrics
  onClosed(): void
}

/** One open response to an edge. */
export class EdgeStream {
  readonly actor: EdgeActor
  readonly instanceId: string | undefined
  readonly reach: Reach
  readonly response: Readable
  /** The hash of the last profile that the edge was told or given, by agent. Null if it is not known yet. */
  readonly agents = new Map<string, string | null>()
  readonly keyDigest: Buffer
  private readonly metrics: StreamMetrics
  private unreadChecks = 0
  private isEnding = false

  constructor({ actor, keyDigest, instanceId, metrics, onClosed }: NewEdgeStream) {
    this.actor = actor
    this.keyDigest = keyDigest
    this.instanceId = instanceId
    this.reach = servedBy(actor)
    this.response = new Readable({ read() {} })
    this.metrics = metrics
    metrics.opened()
    this.response.once('close', () => {
      metrics.closed()
      onClosed()
    })
  }

  get isOpen(): boolean {
    return !this.isEnding && !this.response.destroyed
  }

  get hasRoom(): boolean {
    return this.agents.size < mostAgents
  }

  /** True if requests of this instance name agents of this stream. */
  isOf(credentialId: string, instanceId: string | undefined): boolean {
    if (credentialId !== this.actor.credentialId) return false
    return this.instanceId === undefined || instanceId === undefined || instanceId === this.instanceId
  }

  /** `events` is the number of events in the text. */
  send(text: string, events = 0): void {
    if (!this.isOpen) return
    this.metrics.sent(events)
    this.response.push(text)
    if (this.response.readableLength > mostUnreadBytes) this.cutOff()
  }

  private cutOff(): void {
    this.metrics.cutOff()
    this.response.destroy()
  }

  /** Sends a comment, so that proxies keep the connection. Call it every 15 seconds. */
  keepAlive(): void {
    this.unreadChecks = this.response.readableLength > 0 ? this.unreadChecks + 1 : 0
    if (this.unreadChecks >= mostUnreadChecks) this.cutOff()
    else this.send(': keep-alive\n\n')
  }

  /** Ends the response after what was sent. The edge connects again, and fetches the profiles of its agents. */
  end(): void {
    if (!this.isOpen) return
    this.isEnding = true
    this.response.push(null)
  }
}
