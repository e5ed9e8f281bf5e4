import { Readable } from 'node:stream'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Reach } from '../edge/reach.ts'
import { servedBy } from '../edge/served.ts'

/** An edge that has more unread bytes than this is disconnected. */
const mostUnreadBytes = 256 * 1024
/** An edge that has not read everything in this many checks in a row is disconnected. */
const mostUnreadChecks = 3
/** Maximum number of agents of one stream, as in a heartbeat. Changes of further agents are learned from heartbeats. */
const mostAgents = 5_000

/** One open response to an edge. */
export class EdgeStream {
  readonly actor: EdgeActor
  /** The name of the running edge. Undefined if the stream is about the agents of all instances of the key. */
  readonly instanceId: string | undefined
  readonly reach: Reach
  readonly response: Readable
  /** The hash of the last profile that the edge was told or given, by agent. Null if it is not known yet. */
  readonly agents = new Map<string, string | null>()
  /** The digest of the key with which the stream was opened. If the agent gets a new key, the stream ends. */
  readonly keyDigest: Buffer
  private unreadChecks = 0
  private isEnding = false

  constructor(actor: EdgeActor, keyDigest: Buffer, instanceId: string | undefined, onClosed: () => void) {
    this.actor = actor
    this.keyDigest = keyDigest
    this.instanceId = instanceId
    this.reach = servedBy(actor)
    this.response = new Readable({ read() {} })
    this.response.once('close', onClosed)
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

  send(text: string): void {
    if (!this.isOpen) return
    this.response.push(text)
    if (this.response.readableLength > mostUnreadBytes) this.response.destroy()
  }

  /** Sends a comment, so that proxies keep the connection. Call it every 15 seconds. */
  keepAlive(): void {
    this.unreadChecks = this.response.readableLength > 0 ? this.unreadChecks + 1 : 0
    if (this.unreadChecks >= mostUnreadChecks) this.response.destroy()
    else this.send(': keep-alive\n\n')
  }

  /** Ends the response after what was sent. The edge connects again, and fetches the profiles of its agents. */
  end(): void {
    if (!this.isOpen) return
    this.isEnding = true
    this.response.push(null)
  }
}
