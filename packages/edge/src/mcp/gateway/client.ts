import { createHash, type KeyObject } from 'node:crypto'
import type { Guard } from '../../guard/guard.ts'
import type { Passage } from '../mediation/check-message.ts'
import type { OfferedTool } from '../mediation/filter-tools.ts'
import { OfferedTools } from '../mediation/offered-tools.ts'
import { sharedSource } from '../mediation/tool-schemas.ts'
import { DeclaredLists } from '../messages/list-changes.ts'
import { ListPages } from '../messages/list-pages.ts'
import { MemoryBudget } from '../messages/memory-budget.ts'
import { sessionKey } from './bind-session.ts'

/** A client of the gateway, identified by its token. `guard` decides the calls of the agent that uses the token. */
export interface Client {
  /** The edge seals the session ids of this client with it. */
  readonly sessionKey: KeyObject
  readonly guard: Guard
  readonly offered: OfferedTools
  /** Counts the pages of lists that this client requests. */
  readonly pages: ListPages
  /** Knows which lists the servers of this client have. */
  readonly lists: DeclaredLists
  /** Counts the bytes in memory that come from this client or wait to be sent to it. */
  readonly memory: MemoryBudget
  /**
   * Counts the bytes of the events that are stored so that a client can resume a broken stream. These bytes have their own
   * limit. They stay in memory as long as the session, and would otherwise leave no room for requests.
   */
  readonly eventMemory: MemoryBudget
  /** One callback for each open stream. The callback tells the client that its lists changed. */
  readonly onListChanged: Set<() => void>
  /** Requests that wait for a decision. The key consists of server, session and request id. */
  readonly deciding: Map<string, AbortController>
  /** The number of requests without a complete answer. */
  open: number
  close(): void
}

/** Notes the tools that the server of a passage offers, unless another server has its name now. */
export function noteOffered(client: Client, passage: Passage, tools: readonly OfferedTool[]): void {
  if (!passage.isReplaced?.()) client.offered.note(passage, tools)
}

/** Forgets the tools that a process of a server declared, because it ended or another one takes its place. */
export function forgetTools({ client, passage }: { client: Client; passage: Passage }): void {
  client.offered.of(passage.server).schemas.forget(passage.source ?? sharedSource)
}

/** Finds clients by their tokens. Compares digests, so that the time of a comparison reveals nothing about a token. */
export class Clients {
  private readonly byDigest = new Map<string, Client>()

  constructor(
    clients: readonly { token: string; guard: Guard }[],
    servers: readonly string[],
    { maxMemoryBytes, sessionSecret }: { maxMemoryBytes: number; sessionSecret: string },
  ) {
    for (const { token, guard } of clients) {
      if (token.length < 32) throw new TypeError('a client token must have at least 32 characters')
      if (this.byDigest.has(digest(token)))
        throw new TypeError('two clients of the gateway have the same token, but each client needs its own token')
      this.byDigest.set(digest(token), newClient(sessionKey(sessionSecret, token), guard, servers, maxMemoryBytes))
    }
  }

  byToken(token: string): Client | undefined {
    return this.byDigest.get(digest(token))
  }

  /**
   * Replaces the tool servers that the edge reports to the control plane as controlled. Forgets the tools that the `changed`
   * servers offered.
   */
  replaceServers(servers: readonly string[], changed: readonly string[]): void {
    for (const { offered } of this.byDigest.values()) offered.replaceServers(servers, changed)
  }

  close(): void {
    for (const client of this.byDigest.values()) client.close()
  }
}

function newClient(key: KeyObject, guard: Guard, servers: readonly string[], maxMemoryBytes: number): Client {
  const onListChanged = new Set<() => void>()
  const close = guard.onPolicyChange(() => {
    for (const tell of onListChanged) tell()
  })
  const offered = new OfferedTools(guard, servers)
  const eventMemory = new MemoryBudget(maxMemoryBytes / 4)
  const memory = new MemoryBudget((maxMemoryBytes * 3) / 4)
  return {
    sessionKey: key,
    guard,
    offered,
    memory,
    eventMemory,
    onListChanged,
    deciding: new Map(),
    pages: new ListPages(),
    lists: new DeclaredLists(),
    open: 0,
    close,
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
