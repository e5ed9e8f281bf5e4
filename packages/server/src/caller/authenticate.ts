import type { EdgeActor, Member } from '../authz/actor.ts'
import type { GroupedOperation } from '../concurrency/tenant-groups.ts'
import { noTenant } from '../db/database.ts'
import { credentialKind } from '../security/credentials.ts'
import type { Services } from '../services.ts'
import type { BearerToken } from './bearer-token.ts'
import {
  type AgentWithKey,
  type Credential,
  findActiveUser,
  findAgentsWithKeys,
  findCredentials,
  findLiveEdges,
  findLiveKey,
  findUserOfAccount,
  type LiveEdge,
  type UserColumns,
} from './caller-queries.ts'
import { LookupCache } from './lookup-cache.ts'

/** Most credentials that one statement looks up. */
const mostAtOnce = 200
const firstOnes = <Input>(waiting: readonly Input[]) => waiting.slice(0, mostAtOnce)

// Credentials that arrive together are checked by one statement. Each request still has its own check, which the database makes after the
// request has arrived.
const agentKeys: GroupedOperation<{ agentId: string; keyDigest: Buffer }, AgentWithKey | undefined> = {
  choose: firstOnes,
  run: (db, tenantId, keys) => findAgentsWithKeys(db.reader(tenantId), keys),
}
const edgeKeys: GroupedOperation<{ id: string }, LiveEdge | undefined> = {
  choose: firstOnes,
  run: (db, tenantId, edges) =>
    findLiveEdges(
      db.reader(tenantId),
      edges.map(({ id }) => id),
    ),
}
const unknownKeys: GroupedOperation<{ digest: Buffer }, Credential | undefined> = {
  choose: firstOnes,
  run: (db, _noTenant, keys) =>
    findCredentials(
      db.global,
      keys.map(({ digest }) => digest),
    ),
}

export type Authenticated<A> = { actor: A } | { refused: 'no_credentials' | 'invalid_key' | 'invalid_token' }

/** Finds the actor of a request by its token. This takes one SQL statement if the credential is cached. */
export class Authenticator {
  private readonly services: Services
  private readonly credentials = new LookupCache<Credential>()
  private readonly accounts = new LookupCache<{ tenantId: string; userId: string }>()

  constructor(services: Services) {
    this.services = services
  }

  /**
   * Finds the actor of an access token (the person who signed in) or of an API key (acts for the user who created it). Refuses
   * agent keys and edge keys.
   */
  async member(token: BearerToken | null, now: string): Promise<Authenticated<Member>> {
    if (token === null) return { refused: 'no_credentials' }
    if (token.text.startsWith('mk_')) return await this.apiKey(token, now)
    if (/^[ae]k_/.test(token.text)) return { refused: 'invalid_key' }
    return await this.person(token, now)
  }

  /** Finds the actor of an agent key (the agent) or of an edge key (the edge). Refuses other credentials. */
  async edge(token: BearerToken | null): Promise<Authenticated<EdgeActor>> {
    if (token === null) return { refused: 'no_credentials' }
    const kind = credentialKind(token.text)
    if (kind !== 'ak' && kind !== 'ek') {
      return { refused: token.text.startsWith('mk_') ? 'invalid_key' : 'invalid_token' }
    }
    const found = await this.lookUp(token)
    if (!found || found.kind !== (kind === 'ak' ? 'agent' : 'edge')) return { refused: 'invalid_key' }
    return kind === 'ak' ? await this.agent(found, token.digestBytes) : await this.edgeCredential(found)
  }

  private async apiKey(token: BearerToken, now: string): Promise<Authenticated<Member>> {
    const found = credentialKind(token.text) === 'mk' ? await this.lookUp(token) : null
    if (found?.kind !== 'api_key') return { refused: 'invalid_key' }
    const row = await findLiveKey(this.services.db.reader(found.tenantId), found.id, now)
    if (!row) return { refused: 'invalid_key' }
    this.services.lastUsed.keyUsed(found.tenantId, row.key_id, now)
    const { key_id: id, prefix, key_name: name, scopes, environment_id: environmentId } = row
    return { actor: memberOf('api_key', found.tenantId, row, { id, prefix, name, scopes, environmentId }) }
  }

  private async person(token: BearerToken, now: string): Promise<Authenticated<Member>> {
    const claims = await this.services.accessTokens.verify(token.text)
    if (!claims) return { refused: 'invalid_token' }
    const user = await this.userOf(claims.accountId)
    if (!user) return { refused: 'invalid_token' }
    const row = await findActiveUser(this.services.db.reader(user.tenantId), user.userId, claims.accountId)
    if (!row) {
      // The account may belong to another user now, so it is removed from the cache and the next request looks it up again.
      this.accounts.forget(claims.accountId)
      return { refused: 'invalid_token' }
    }
    this.services.lastUsed.userActive(user.tenantId, user.userId, now)
    const { sessionId, expiresAt: tokenExpiresAt } = claims
    return { actor: { ...memberOf('person', user.tenantId, row, null), sessionId, tokenExpiresAt } }
  }

  private async agent(found: { tenantId: string; id: string }, keyDigest: Buffer): Promise<Authenticated<EdgeActor>> {
    const row = await this.services.groups.run(agentKeys, found.tenantId, { agentId: found.id, keyDigest })
    if (!row) return { refused: 'invalid_key' }
    return {
      actor: { kind: 'agent', tenantId: found.tenantId, credentialId: row.id, agentId: row.id, name: row.name },
    }
  }

  private async edgeCredential(found: { tenantId: string; id: string }): Promise<Authenticated<EdgeActor>> {
    const row = await this.services.groups.run(edgeKeys, found.tenantId, { id: found.id })
    if (!row) return { refused: 'invalid_key' }
    const { id: credentialId, environment_id: environmentId, name } = row
    return { actor: { kind: 'edge', tenantId: found.tenantId, credentialId, environmentId, name } }
  }

  private lookUp(token: BearerToken) {
    return this.credentials.get(token.digest, () =>
      this.services.groups.run(unknownKeys, noTenant, { digest: token.digestBytes }),
    )
  }

  private userOf(accountId: string) {
    return this.accounts.get(accountId, () => findUserOfAccount(this.services.db.global, accountId))
  }
}

/** Returns the actor for a user of a tenant. The access scope of an owner is always `all`, whatever is stored. */
export function memberOf(kind: Member['kind'], tenantId: string, row: UserColumns, key: Member['key']): Member {
  return {
    kind,
    tenantId,
    userId: row.user_id,
    accountId: row.account_id,
    email: row.email,
    displayName: row.display_name,
    role: row.role,
    accessScope: row.role === 'owner' ? 'all' : row.access_scope,
    academyOnly: row.academy_only,
    readOnly: row.read_only,
    key,
  }
}
