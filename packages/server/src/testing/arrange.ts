import { randomUUID } from 'node:crypto'
import type { AccessScope, Role } from '@mandate/contract/words/roles'
import type { Member } from '../authz/actor.ts'
import { newId } from '../db/ids/new-id.ts'
import { digest, newCredential, publicPrefix } from '../security/credentials.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import type { TestServer } from './start-test-server.ts'

/** A user of a test tenant, with an API client that is signed in as this user. */
export interface TestPerson {
  id: string
  email: string
  accountId: string
  /** Empty for a pending user. */
  sessionId: string
  accessToken: string
  api: ApiClient
}

export interface TestTenant {
  id: string
  name: string
  owner: TestPerson
  production: string
  development: string
}

export interface NewPerson {
  role?: Role
  accessScope?: AccessScope
  academyOnly?: boolean
  readOnly?: boolean
  status?: 'active' | 'pending'
  email?: string
  displayName?: string
}

/** Inserts a tenant with an owner and two environments directly into the database. This is fast and does not depend on the API. */
export async function createTenant(
  server: TestServer,
  { plan = 'enterprise', gate = 'alert' } = {},
): Promise<TestTenant> {
  const id = newId()
  const name = `Tenant ${id.slice(-6)}`
  const now = new Date().toISOString()
  const [production, development] = [newId(), newId()]
  await server.owner.query(
    `with tenant as (
       insert into tenants (id, name, plan, governance_gate, created_at) values ($1, $2, $3, $4, $5))
     insert into environments (tenant_id, id, name, slug, is_production, created_at)
     values ($1, $6, 'Production', 'production', true, $5), ($1, $7, 'Development', 'development', false, $5)`,
    [id, name, plan, gate, now, production, development],
  )
  const owner = await addPerson(server, id, { role: 'owner' })
  return { id, name, owner, production, development }
}

export async function addPerson(server: TestServer, tenantId: string, person: NewPerson = {}): Promise<TestPerson> {
  const id = newId()
  const { role = 'member', accessScope = 'all', academyOnly = false, readOnly = false } = person
  const { status = 'active', displayName = '' } = person
  const email = person.email ?? `${role}-${id.slice(-12)}@example.com`
  const row = [tenantId, id, email, displayName, role, status, academyOnly, accessScope, readOnly]
  const now = new Date().toISOString()
  if (status === 'pending') {
    await server.owner.query(`${insertUser} values ($1, $2, $3, lower($3), $4, $5, $6, $7, $8, $9, null, $10, false)`, [
      ...row,
      now,
    ])
    return { id, email, accountId: '', sessionId: '', accessToken: '', api: apiClient(server.url) }
  }
  const [accountId, sessionId] = [randomUUID(), randomUUID()]
  await server.owner.query(
    `with person as (${insertUser} values ($1, $2, $3, lower($3), $4, $5, $6, $7, $8, $9, $11, $10, true)),
       by_account as (insert into account_lookup (account_id, tenant_id, user_id) values ($11, $1, $2)),
       by_email as (insert into email_lookup (address, tenant_id, user_id) values (lower($3), $1, $2)),
       account as (insert into identity.accounts (id, email, email_lower, email_verified, created_at)
         values ($11::uuid, $3, lower($3), true, $10))
     insert into sessions (id, account_id, created_at) values ($12, $11, now())`,
    [...row, now, accountId, sessionId],
  )
  const accessToken = await server.services.accessTokens.issue(accountId, sessionId)
  return { id, email, accountId, sessionId, accessToken, api: apiClient(server.url, accessToken) }
}

const insertUser = `insert into users (tenant_id, id, email, email_lower, display_name, role, status, academy_only, access_scope,
  read_only, account_id, created_at, email_verified)`

/** Creates a session for an account and returns its access token. */
export async function signInAs(server: TestServer, accountId: string): Promise<string> {
  const sessionId = randomUUID()
  await server.owner.query('insert into sessions (id, account_id, created_at) values ($1, $2, now())', [
    sessionId,
    accountId,
  ])
  return await server.services.accessTokens.issue(accountId, sessionId)
}

export interface NewKey {
  environmentId?: string | null
  scopes?: string[]
  expiresAt?: string | null
}

export interface TestKey {
  id: string
  raw: string
  api: ApiClient
}

/** Inserts an API key of `person` directly into the database. */
export async function addKey(
  server: TestServer,
  tenantId: string,
  person: { id: string },
  key: NewKey = {},
): Promise<TestKey> {
  const id = newId()
  const raw = newCredential('mk')
  const hash = digest(raw)
  await server.owner.query(
    `with key as (
       insert into api_keys (tenant_id, id, created_by, name, key_prefix, key_hash, scopes, environment_id, expires_at, created_at)
       values ($1, $2, $3, 'test key', $4, $5, $6, $7, $8, $9))
     insert into credential_lookup (hash, kind, tenant_id, id) values ($5, 'api_key', $1, $2)`,
    [
      tenantId,
      id,
      person.id,
      publicPrefix(raw),
      hash,
      key.scopes ?? [],
      key.environmentId ?? null,
      key.expiresAt ?? null,
      new Date().toISOString(),
    ],
  )
  return { id, raw, api: apiClient(server.url, raw) }
}

export interface NewAgent {
  environmentId?: string | null
  policyId?: string | null
  source?: string
  status?: string
  governanceState?: string
  lifecycleStatus?: string
  ownerUserId?: string | null
}

/** Inserts an agent directly into the database. Returns its id. */
export async function addAgent(server: TestServer, tenantId: string, agent: NewAgent = {}): Promise<string> {
  const id = newId()
  await server.owner.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id, policy_id,
       owner_user_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
    [
      tenantId,
      id,
      `agent ${id.slice(-6)}`,
      agent.status ?? 'registered',
      agent.source ?? 'runtime',
      agent.governanceState ?? 'governed',
      agent.lifecycleStatus ?? 'approved',
      agent.environmentId ?? null,
      agent.policyId ?? null,
      agent.ownerUserId ?? null,
      new Date().toISOString(),
    ],
  )
  return id
}

/** Grants an agent to a scoped user. */
export async function grantAgent(server: TestServer, tenantId: string, userId: string, agentId: string): Promise<void> {
  await server.owner.query(
    'insert into agent_grants (tenant_id, id, user_id, agent_id, created_at) values ($1, $2, $3, $4, $5)',
    [tenantId, newId(), userId, agentId, new Date().toISOString()],
  )
}

/** Gives a scoped user access to an environment. */
export async function giveEnvironment(server: TestServer, tenantId: string, userId: string, environmentId: string) {
  await server.owner.query(
    'insert into environment_access (tenant_id, id, user_id, environment_id, created_at) values ($1, $2, $3, $4, $5)',
    [tenantId, newId(), userId, environmentId, new Date().toISOString()],
  )
}

/** Returns every audit entry of a tenant, oldest first. */
export async function auditEntries(server: TestServer, tenantId: string) {
  return (await server.owner.query('select * from audit_entries where tenant_id = $1 order by id', [tenantId])).rows
}

/** The owner of a tenant, for functions that take the actor of a request. `other` replaces fields, for example for another person. */
export const actorOf = ({ id, owner }: Pick<TestTenant, 'id' | 'owner'>, other: Partial<Member> = {}): Member => ({
  ...{ kind: 'person', tenantId: id, userId: owner.id, accountId: null, email: '', displayName: '' },
  ...{ role: 'owner', accessScope: 'all', academyOnly: false, readOnly: false, key: null },
  ...other,
})
