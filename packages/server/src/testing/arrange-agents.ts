import { contentHash } from '@mandate/proofs/canonical'
import { newId } from '../db/ids/new-id.ts'
import { digest, newCredential } from '../security/credentials.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import type { TestServer } from './start-test-server.ts'

export interface TestPolicy {
  id: string
  /** The content hash of the current version. */
  hash: string
}

export interface NewTestPolicy {
  environmentId?: string | null
  overrideMode?: string
  rules?: Record<string, unknown>[]
}

/** Inserts a policy at version 1 directly into the database. */
export async function addPolicy(
  server: TestServer,
  tenantId: string,
  { environmentId = null, overrideMode = 'inherit', rules = [] }: NewTestPolicy = {},
): Promise<TestPolicy> {
  const id = newId()
  const fields = { name: `policy ${id.slice(-6)}`, description: '', environment_id: environmentId }
  const snapshot = { ...fields, override_mode: overrideMode, default_effect: 'deny', dlp_enabled: false, rules }
  const hash = contentHash(snapshot)
  const now = new Date().toISOString()
  await server.owner.query(
    `insert into policies (tenant_id, id, name, environment_id, override_mode, version, content_hash, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 1, $6, $7, $7)`,
    [tenantId, id, fields.name, environmentId, overrideMode, hash, now],
  )
  await addVersion(server, tenantId, id, 1, snapshot)
  return { id, hash }
}

/** Saves the next version of a policy directly in the database. Returns its content hash. */
export async function savePolicy(server: TestServer, tenantId: string, id: string, change: Record<string, unknown>) {
  const { rows } = await server.owner.query(
    `select v.snapshot, p.version from policies p join policy_versions v
       on v.tenant_id = p.tenant_id and v.policy_id = p.id and v.version = p.version
     where p.tenant_id = $1 and p.id = $2`,
    [tenantId, id],
  )
  const version = rows[0].version + 1
  const snapshot = { ...rows[0].snapshot, ...change }
  const hash = await addVersion(server, tenantId, id, version, snapshot)
  await server.owner.query(
    `update policies set version = $3, content_hash = $4, override_mode = $5 where tenant_id = $1 and id = $2`,
    [tenantId, id, version, hash, snapshot.override_mode],
  )
  return hash
}

const savedByService = JSON.stringify({ user_id: null, display_name: 'system', email: '' })

async function addVersion(server: TestServer, tenantId: string, id: string, version: number, snapshot: object) {
  const hash = contentHash(snapshot)
  await server.owner.query(
    `insert into policy_versions (tenant_id, policy_id, version, produced_by, saved_by, saved_at, change_summary,
       change_class, snapshot, content_hash) values ($1, $2, $3, $4, $7, now(), '{}', 'neutral', $5, $6)`,
    [tenantId, id, version, version === 1 ? 'created' : 'updated', JSON.stringify(snapshot), hash, savedByService],
  )
  return hash
}

/** Gives an agent a key, directly in the database. Returns an API client that uses this key. */
export async function giveAgentKey(server: TestServer, tenantId: string, agentId: string): Promise<ApiClient> {
  const raw = newCredential('ak')
  await server.owner.query('update agents set key_hash = $3 where tenant_id = $1 and id = $2', [
    tenantId,
    agentId,
    digest(raw),
  ])
  await addLookup(server, raw, 'agent', tenantId, agentId)
  return apiClient(server.url, raw)
}

/** Inserts an edge of an environment directly into the database. Returns an API client that uses the key of the edge. */
export async function addEdge(server: TestServer, tenantId: string, environmentId: string): Promise<ApiClient> {
  const raw = newCredential('ek')
  const id = newId()
  await server.owner.query(
    `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_at)
     values ($1, $2, 'edge', $3, $4, $5, now())`,
    [tenantId, id, environmentId, digest(raw), raw.slice(0, 8)],
  )
  await addLookup(server, raw, 'edge', tenantId, id)
  return apiClient(server.url, raw)
}

async function addLookup(server: TestServer, raw: string, kind: string, tenantId: string, id: string) {
  await server.owner.query('insert into credential_lookup (hash, kind, tenant_id, id) values ($1, $2, $3, $4)', [
    digest(raw),
    kind,
    tenantId,
    id,
  ])
}
