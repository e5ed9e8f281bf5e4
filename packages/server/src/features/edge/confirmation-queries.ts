import type { Sql, Tx } from '../../db/database.ts'
import { raw } from '../../db/statement.ts'
import type { Instance } from './open-freeze-queries.ts'
import type { Reach } from './reach.ts'

/** Returns the public key that the credential registered under this id. */
export async function findOwnKey(db: Sql, credentialId: string, kid: string): Promise<string | undefined> {
  const text = 'select public_key_pem as pem from edge_keys where tenant_id = $1 and kid = $2 and credential_id = $3'
  return (await db.maybe(raw<{ pem: string }>(text, [db.tenantId, kid, credentialId])))?.pem
}

/** Locks the key until the transaction ends, so that its confirmations are stored one after another. */
export async function lockOwnKey(tx: Tx, credentialId: string, kid: string): Promise<void> {
  const text = 'select from edge_keys where tenant_id = $1 and kid = $2 and credential_id = $3 for no key update'
  await tx.all(raw(text, [tx.tenantId, kid, credentialId]))
}

export async function hasInstance(db: Sql, { credentialId, instanceId }: Instance): Promise<boolean> {
  const text = 'select from edge_instances where tenant_id = $1 and credential_id = $2 and instance_id = $3'
  return (await db.maybe(raw(text, [db.tenantId, credentialId, instanceId]))) !== undefined
}

/** What is stored with each confirmation of a request. `kid` and `signature` are null if the request is not signed. */
export interface Sender extends Instance {
  kid: string | null
  signature: string | null
  now: string
}

const ofOther = `c.tenant_id = $1 and c.freeze_id = any($2::uuid[]) and c.kid = $5
    and (c.credential_id, c.instance_id) <> ($3, $4)`

const forgetStopped = `
  delete from freeze_confirmations c where ${ofOther}
    and not exists (select from edge_instances i where i.tenant_id = $1 and i.credential_id = c.credential_id
      and i.instance_id = c.instance_id and i.seen_at >= $6::timestamptz)`

/**
 * Deletes the confirmations that another instance made with the same key, if that instance is silent. An edge that lost the name of its
 * instance, but not its key, can then confirm under its new name.
 */
export async function forgetStoppedInstances(
  tx: Tx,
  sender: Sender,
  freezeIds: readonly string[],
  silentBefore: string,
) {
  const { credentialId, instanceId, kid } = sender
  if (kid === null || freezeIds.length === 0) return
  await tx.all(raw(forgetStopped, [tx.tenantId, freezeIds, credentialId, instanceId, kid, silentBefore]))
}

const insertFreezes = `
  insert into freeze_confirmations as c (tenant_id, freeze_id, credential_id, instance_id, edge_id, agent_id, environment_id, said_at,
    received_at, after_ms, kid, signature)
  select $1, z.id, i.credential_id, i.instance_id, case when $6::uuid is null then $3::uuid end, $6::uuid, i.environment_id, said.at,
    $7::timestamptz, greatest(0, extract(epoch from $7::timestamptz - z.created_at) * 1000)::bigint, $5, $8
  from unnest($2::uuid[], $9::timestamptz[]) as said (freeze_id, at)
  join freezes z on z.tenant_id = $1 and z.id = said.freeze_id
  join edge_instances i on i.tenant_id = $1 and i.credential_id = $3 and i.instance_id = $4
  where not exists (select from freeze_confirmations o where o.tenant_id = $1 and o.freeze_id = z.id and o.kid = $5
    and (o.credential_id, o.instance_id) <> ($3, $4))
  order by z.id
  on conflict (tenant_id, freeze_id, credential_id, instance_id) do update
    set kid = excluded.kid, signature = excluded.signature, said_at = excluded.said_at, received_at = excluded.received_at,
      after_ms = excluded.after_ms
    where c.kid is null and excluded.kid is not null`

/**
 * Stores that an instance has these freezes in force. The first confirmation counts; a signed one replaces an unsigned one. Skips a freeze
 * that another instance confirmed with the same key.
 */
export async function insertFreezeConfirmations(
  tx: Tx,
  { agentId }: Reach,
  { credentialId, instanceId, kid, signature, now }: Sender,
  freezes: readonly { id: string; at: string }[],
): Promise<void> {
  if (freezes.length === 0) return
  const [ids, times] = [freezes.map(({ id }) => id), freezes.map(({ at }) => at)]
  await tx.all(raw(insertFreezes, [tx.tenantId, ids, credentialId, instanceId, kid, agentId, now, signature, times]))
}

/** Returns those of the freezes that the instance has confirmed. */
export async function findConfirmed(tx: Tx, { credentialId, instanceId }: Instance, ids: readonly string[]) {
  const text = `select freeze_id as id from freeze_confirmations
    where tenant_id = $1 and freeze_id = any($2::uuid[]) and credential_id = $3 and instance_id = $4`
  const rows = await tx.all(raw<{ id: string }>(text, [tx.tenantId, ids, credentialId, instanceId]))
  return new Set(rows.map(({ id }) => id))
}

const upsertProfiles = `
  insert into profile_confirmations as c (tenant_id, agent_id, credential_id, instance_id, profile_hash, profile_seq, received_at,
    stopped_at, kid)
  select $1, p.agent_id, $2, $3, p.hash, p.seq, $4::timestamptz, case when p.stops then $4::timestamptz end, $5
  from unnest($6::uuid[], $7::text[], $8::bigint[], $9::boolean[]) as p (agent_id, hash, seq, stops)
  order by p.agent_id
  on conflict (tenant_id, agent_id, credential_id, instance_id) do update
    set profile_hash = excluded.profile_hash, profile_seq = excluded.profile_seq, received_at = excluded.received_at,
      stopped_at = coalesce(excluded.stopped_at, c.stopped_at), kid = excluded.kid
    where excluded.profile_seq > c.profile_seq or (c.kid is null and excluded.kid is not null)`

export interface ConfirmedProfile {
  agentId: string
  hash: string
  seq: number
  /** True if the profile denies every call. */
  stops: boolean
}

/** Stores which profiles an instance has in force. The profiles must be the current ones. */
export async function storeProfileConfirmations(tx: Tx, sender: Sender, profiles: readonly ConfirmedProfile[]) {
  if (profiles.length === 0) return
  const column = <K extends keyof ConfirmedProfile>(name: K) => profiles.map((profile) => profile[name])
  const { credentialId, instanceId, now, kid } = sender
  const values = [column('agentId'), column('hash'), column('seq'), column('stops')]
  await tx.all(raw(upsertProfiles, [tx.tenantId, credentialId, instanceId, now, kid, ...values]))
}
