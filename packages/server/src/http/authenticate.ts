import type { AccessScope, Role } from '@mandate/contract/roles'
import type { EdgeActor, Member } from '../authz/actor.ts'
import { raw } from '../db/statement.ts'
import { credentialKind } from '../security/credentials.ts'
import type { Services } from '../services.ts'
import type { BearerToken } from './bearer-token.ts'
import { keyLives } from './live-key.ts'
import { RememberedLookups } from './remembered-lookups.ts'

export type Authenticated<A> = { actor: A } | { refused: 'no_credentials' | 'invalid_key' | 'invalid_token' }

export interface UserColumns {
  user_id: string
  account_id: string | null
  email: string
  display_name: string
  role: Role
  access_scope: AccessScope
  academy_only: boolean
}

interface KeyRow extends UserColumns {
  key_id: string
  prefix: string
  key_name: string
  scopes: string[]
  environment_id: string | null
}

// Liveness is read on every request and never remembered.
const liveKey = `
  select k.id as key_id, k.key_prefix as prefix, k.name as key_name, k.scopes, k.environment_id,
    u.id as user_id, u.account_id, u.email, u.display_name, u.role, u.access_scope, u.academy_only
  from api_keys k
  join users u on u.tenant_id = k.tenant_id and u.id = k.created_by
  where k.tenant_id = $1 and k.id = $2 and ${keyLives('$3')}`

const liveUser = `
  select id as user_id, account_id, email, display_name, role, access_scope, academy_only
  from users where tenant_id = $1 and id = $2 and status = 'active' and account_id = $3`

const liveEdge = `
  select id, environment_id, name from edges where tenant_id = $1 and id = $2 and revoked_at is null`

const liveAgent = `select id, name from agents where tenant_id = $1 and id = $2 and key_hash = $3`

/** Works out who sends a request, from its token. One statement once the credential has been seen. */
export class Authenticator {
  private readonly services: Services
  private readonly credentials = new RememberedLookups<{ kind: string; tenantId: string; id: string }>()
  private readonly accounts = new RememberedLookups<{ tenantId: string; userId: string }>()

  constructor(services: Services) {
    this.services = services
  }

  /** A person by access token, or an API key. Edge and agent keys are no credentials here. */
  async member(token: BearerToken | null, now: string): Promise<Authenticated<Member>> {
    if (token === null) return { refused: 'no_credentials' }
    if (token.text.startsWith('mk_')) return await this.apiKey(token, now)
    if (/^[ae]k_/.test(token.text)) return { refused: 'invalid_key' }
    return await this.person(token, now)
  }

  /** An agent's or an edge's own key. */
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
    const statement = raw<KeyRow>(liveKey, [found.tenantId, found.id, now])
    const row = await this.services.db.reader(found.tenantId).maybe(statement)
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
    const statement = raw<UserColumns>(liveUser, [user.tenantId, user.userId, claims.accountId])
    const row = await this.services.db.reader(user.tenantId).maybe(statement)
    if (!row) {
      // The account may have moved to another user since: the next request asks again.
      this.accounts.forget(claims.accountId)
      return { refused: 'invalid_token' }
    }
    this.services.lastUsed.userActive(user.tenantId, user.userId, now)
    return { actor: { ...memberOf('person', user.tenantId, row, null), sessionId: claims.sessionId } }
  }

  private async agent(found: { tenantId: string; id: string }, hash: Buffer): Promise<Authenticated<EdgeActor>> {
    const statement = raw<{ id: string; name: string }>(liveAgent, [found.tenantId, found.id, hash])
    const row = await this.services.db.reader(found.tenantId).maybe(statement)
    if (!row) return { refused: 'invalid_key' }
    return {
      actor: { kind: 'agent', tenantId: found.tenantId, credentialId: row.id, agentId: row.id, name: row.name },
    }
  }

  private async edgeCredential(found: { tenantId: string; id: string }): Promise<Authenticated<EdgeActor>> {
    const statement = raw<{ id: string; environment_id: string; name: string }>(liveEdge, [found.tenantId, found.id])
    const row = await this.services.db.reader(found.tenantId).maybe(statement)
    if (!row) return { refused: 'invalid_key' }
    const { id: credentialId, environment_id: environmentId, name } = row
    return { actor: { kind: 'edge', tenantId: found.tenantId, credentialId, environmentId, name } }
  }

  private lookUp(token: BearerToken) {
    return this.credentials.get(token.digest, () =>
      this.services.db.global.maybe(
        raw<{ kind: string; tenantId: string; id: string }>(
          'select kind, tenant_id as "tenantId", id from credential_lookup where hash = $1',
          [token.digestBytes],
        ),
      ),
    )
  }

  private userOf(accountId: string) {
    return this.accounts.get(accountId, () =>
      this.services.db.global.maybe(
        raw<{ tenantId: string; userId: string }>(
          'select tenant_id as "tenantId", user_id as "userId" from account_lookup where account_id = $1',
          [accountId],
        ),
      ),
    )
  }
}

/** A user of a tenant as the one who acts; an owner sees everything, whatever is stored. */
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
    key,
  }
}
