import { createHash } from 'node:crypto'
import type { Guard } from '../../guard/guard.ts'
import { OfferedTools } from '../mediation/offered-tools.ts'
import { Holding } from '../messages/holding.ts'
import { ListPages } from '../messages/list-pages.ts'

/** A client of the gateway: whoever holds the token acts as the agent behind the guard. */
export interface Client {
  readonly token: string
  readonly guard: Guard
  readonly offered: OfferedTools
  /** The pages of lists that it asked for. */
  readonly pages: ListPages
  /** What waits in memory for it or from it. */
  readonly held: Holding
  /** What its sessions keep for streams to be resumed: apart, since it stays for as long as they do. */
  readonly kept: Holding
  /** Told of by every open stream of the client that its list of tools changed. */
  readonly onListChanged: Set<() => void>
  /** Requests whose decision is waited for, by server, session and request id. */
  readonly deciding: Map<string, AbortController>
  /** Requests of the client that are not yet answered in full. */
  open: number
  close(): void
}

/** Finds clients by token. Only digests are compared, so that the time taken tells nothing of a token. */
export class Clients {
  private readonly byDigest = new Map<string, Client>()

  constructor(clients: readonly { token: string; guard: Guard }[], servers: readonly string[], maxHeldBytes: number) {
    for (const { token, guard } of clients) {
      if (token.length < 32) throw new TypeError('a client token has at least 32 characters')
      if (this.byDigest.has(digest(token))) throw new TypeError('two clients have the same token')
      this.byDigest.set(digest(token), newClient(token, guard, servers, maxHeldBytes))
    }
  }

  byToken(token: string): Client | undefined {
    return this.byDigest.get(digest(token))
  }

  /** Attests to these servers from now on; what the changed ones among them offered is forgotten. */
  replaceServers(servers: readonly string[], changed: readonly string[]): void {
    for (const { offered } of this.byDigest.values()) offered.replaceServers(servers, changed)
  }

  close(): void {
    for (const client of this.byDigest.values()) client.close()
  }
}

function newClient(token: string, guard: Guard, servers: readonly string[], maxHeldBytes: number): Client {
  const onListChanged = new Set<() => void>()
  const close = guard.onPolicyChange(() => {
    for (const tell of onListChanged) tell()
  })
  const offered = new OfferedTools(guard, servers)
  const kept = new Holding(maxHeldBytes / 4)
  const held = new Holding((maxHeldBytes * 3) / 4)
  return {
    token,
    guard,
    offered,
    held,
    kept,
    onListChanged,
    deciding: new Map(),
    pages: new ListPages(),
    open: 0,
    close,
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
