import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { concernsInstance, type Instance } from '../profiles/open-freeze-queries.ts'
import type { Reach } from '../reach/reach.ts'

// One statement for the confirmations of several requests. All transactions lock keys before confirmations, and the rows of each table in the
// order of their keys, so that transactions about the same rows cannot deadlock.

/** A key that a request names, and the credential that sent the request. */
export interface NamedKey {
  credentialId: string
  kid: string
}

const ownKeys = `select k.kid, k.credential_id as "credentialId", k.public_key_pem as pem
  from edge_keys k where k.tenant_id = $1 and k.kid = any($2::text[])`

/** Returns the public keys (PEM), in the order of `keys`. Undefined for a key that the credential did not register. */
export async function findOwnKeys(db: Sql, keys: readonly NamedKey[]): Promise<(string | undefined)[]> {
  const kids = keys.map(({ kid }) => kid)
  const rows = await db.all(raw<NamedKey & { pem: string }>(ownKeys, [db.tenantId, kids]))
  const found = new Map(rows.map((row) => [row.kid, row]))
  return keys.map(({ kid, credentialId }) => {
    const row = found.get(kid)
    return row?.credentialId === credentialId ? row.pem : undefined
  })
}

const lockKeys = `select k.kid from edge_keys k where k.tenant_id = $1 and k.kid = any($2::text[]) order by k.kid for no key update`

/** Locks keys until the transaction ends, so that the confirmations of a key are stored one after another. Returns those that exist. */
export async function lockKeysOf(tx: Tx, kids: readonly string[]): Promise<Set<string>> {
  if (kids.length === 0) return new Set()
  const rows = await tx.all(raw<{ kid: string }>(lockKeys, [tx.tenantId, kids]))
  return new Set(rows.map(({ kid }) => kid))
}

const knownInstances = `
  select n.place::int as place from unnest($2::uuid[], $3::text[]) with ordinality as n (credential_id, instance_id, place)
  cross join lateral (select from edge_instances i where i.tenant_id = $1 and i.credential_id = n.credential_id
    and i.instance_id = n.instance_id limit 1) i`

/** Returns those of the instances from which the control plane has a heartbeat. */
export async function findKnownInstances<I extends Instance>(tx: Tx, instances: readonly I[]): Promise<Set<I>> {
  const [credentials, names] = [
    instances.map(({ credentialId }) => credentialId),
    instances.map((one) => one.instanceId),
  ]
  const rows = await tx.all(raw<{ place: number }>(knownInstances, [tx.tenantId, credentials, names]))
  return new Set(rows.map(({ place }) => instances[place - 1] as I))
}

/** What is stored with each confirmation of a request. `kid` and `signature` are null if the request is not signed. */
export interface Sender extends Instance {
  reach: Reach
  kid: string | null
  signature: string | null
  now: string
  /** An instance without a heartbeat since this time is silent. */
  silentBefore: string
}

/** A request that confirms a freeze. A group must not have two of them with the same sender and freeze, or with the same key. */
export interface SaidFreeze {
  sender: Sender
  freezeId: string
  /** When the freeze was put in force, by the clock of the edge. */
  at: string
}

function valuesOf(tenantId: string, said: readonly SaidFreeze[]): unknown[] {
  const column = (of: (one: SaidFreeze) => unknown) => said.map(of)
  return [
    tenantId,
    column(({ freezeId }) => freezeId),
    column(({ at }) => at),
    column(({ sender }) => sender.credentialId),
    column(({ sender }) => sender.instanceId),
    column(({ sender }) => sender.reach.agentId),
    column(({ sender }) => sender.kid),
    column(({ sender }) => sender.signature),
    column(({ sender }) => sender.now),
    column(({ sender }) => sender.silentBefore),
  ]
}

/** SQL: what was said of freezes, with its place in the list of `SaidFreeze`. */
const said = `said as materialized (
    select * from unnest($2::uuid[], $3::timestamptz[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::timestamptz[],
      $10::timestamptz[]) with ordinality as s (freeze_id, said_at, credential_id, instance_id, own_agent_id, kid, signature, received_at,
        silent_before, place)
  )`

/** SQL: the confirmations that may count, because the freeze is open and concerns the instance. */
const confirmable = `confirmable as materialized (
    select s.*, i.environment_id,
      greatest(0, extract(epoch from s.received_at - z.created_at) * 1000)::bigint as after_ms
    from said s
    join edge_instances i on i.tenant_id = $1 and i.credential_id = s.credential_id and i.instance_id = s.instance_id
    join freezes z on z.tenant_id = $1 and z.id = s.freeze_id and z.is_open
    where ${concernsInstance('s.own_agent_id')}
  )`

const isOfOtherInstance = (other: string) =>
  `${other}.tenant_id = $1 and ${other}.freeze_id = f.freeze_id and ${other}.kid = f.kid
      and (${other}.credential_id, ${other}.instance_id) <> (f.credential_id, f.instance_id)`

const forgetStopped = `
  with ${said}, ${confirmable}, stopped as (
    select c.freeze_id, c.credential_id, c.instance_id
    from confirmable f join freeze_confirmations c on ${isOfOtherInstance('c')}
    where not exists (select from edge_instances i where i.tenant_id = $1 and i.credential_id = c.credential_id
      and i.instance_id = c.instance_id and i.seen_at >= f.silent_before)
    order by c.freeze_id, c.credential_id, c.instance_id for update of c
  )
  delete from freeze_confirmations c using stopped s
    where c.tenant_id = $1 and c.freeze_id = s.freeze_id and c.credential_id = s.credential_id and c.instance_id = s.instance_id`

/**
 * Deletes the confirmations that other instances made with the same keys, if these instances are silent. An edge that lost the name of its
 * instance, but not its key, can then confirm under its new name.
 */
export async function forgetStoppedInstances(tx: Tx, freezes: readonly SaidFreeze[]): Promise<void> {
  const signed = freezes.filter(({ sender }) => sender.kid !== null)
  if (signed.length > 0) await tx.all(raw(forgetStopped, valuesOf(tx.tenantId, signed)))
}

const insertFreezes = `
  with ${said}, ${confirmable}, stored as (
    insert into freeze_confirmations as c (tenant_id, freeze_id, credential_id, instance_id, edge_id, agent_id, environment_id, said_at,
      received_at, after_ms, kid, signature)
    select $1, f.freeze_id, f.credential_id, f.instance_id, case when f.own_agent_id is null then f.credential_id end, f.own_agent_id,
      f.environment_id, f.said_at, f.received_at, f.after_ms, f.kid, f.signature
    from confirmable f
    where not exists (select from freeze_confirmations o where ${isOfOtherInstance('o')})
    order by f.freeze_id, f.credential_id, f.instance_id
    on conflict (tenant_id, freeze_id, credential_id, instance_id) do update
      set kid = excluded.kid, signature = excluded.signature, said_at = excluded.said_at, received_at = excluded.received_at,
        after_ms = excluded.after_ms
      where c.kid is null and excluded.kid is not null
    returning freeze_id, credential_id, instance_id, xmax = 0 as is_new
  )
  select f.place::int as place, f.freeze_id as "freezeId", case when f.own_agent_id is null then f.credential_id end as "edgeId",
    f.own_agent_id as "agentId", f.environment_id as "environmentId", f.instance_id as "instanceId", f.after_ms as "afterMs",
    coalesce(c.is_new, false) as "isNew"
  from confirmable f full join stored c
    on c.freeze_id = f.freeze_id and c.credential_id = f.credential_id and c.instance_id = f.instance_id`

/** A confirmation of a freeze that may count. */
export interface ConfirmedFreeze {
  freezeId: string
  /** The edge, or null for an instance with the own key of an agent. */
  edgeId: string | null
  /** The agent whose own key the instance uses, or null for an edge. */
  agentId: string | null
  environmentId: string | null
  instanceId: string
  /** Time from the start of the freeze to the arrival of the confirmation. */
  afterMs: number
  /** True if the instance had not confirmed the freeze before. */
  isNew: boolean
}

/**
 * Stores that instances have freezes in force. The first confirmation counts; a signed one replaces an unsigned one. Skips a freeze that another
 * instance confirmed with the same key. Returns the confirmations of freezes that are open and concern the instance, also the skipped ones.
 */
export async function insertFreezeConfirmations(
  tx: Tx,
  freezes: readonly SaidFreeze[],
): Promise<Map<SaidFreeze, ConfirmedFreeze>> {
  if (freezes.length === 0) return new Map()
  const statement = raw<ConfirmedFreeze & { place: number }>(insertFreezes, valuesOf(tx.tenantId, freezes))
  return new Map((await tx.all(statement)).map(({ place, ...row }) => [freezes[place - 1] as SaidFreeze, row]))
}

const confirmed = `
  with ${said}
  select s.place::int as place from said s
  cross join lateral (select from freeze_confirmations c where c.tenant_id = $1 and c.freeze_id = s.freeze_id
    and c.credential_id = s.credential_id and c.instance_id = s.instance_id limit 1) c`

/** Returns those of the freezes that their sender has confirmed, now or before. */
export async function findConfirmed(tx: Tx, freezes: readonly SaidFreeze[]): Promise<Set<SaidFreeze>> {
  if (freezes.length === 0) return new Set()
  const rows = await tx.all(raw<{ place: number }>(confirmed, valuesOf(tx.tenantId, freezes)))
  return new Set(rows.map(({ place }) => freezes[place - 1] as SaidFreeze))
}

const upsertProfiles = `
  insert into profile_confirmations as c (tenant_id, agent_id, credential_id, instance_id, profile_hash, profile_seq, received_at,
    stopped_at, kid)
  select $1, p.agent_id, p.credential_id, p.instance_id, p.hash, p.seq, p.received_at, case when p.stops then p.received_at end, p.kid
  from unnest($2::uuid[], $3::text[], $4::bigint[], $5::boolean[], $6::uuid[], $7::text[], $8::timestamptz[], $9::text[])
    as p (agent_id, hash, seq, stops, credential_id, instance_id, received_at, kid)
  order by p.agent_id, p.credential_id, p.instance_id
  on conflict (tenant_id, agent_id, credential_id, instance_id) do update
    set profile_hash = excluded.profile_hash, profile_seq = excluded.profile_seq, received_at = excluded.received_at,
      stopped_at = coalesce(excluded.stopped_at, c.stopped_at), kid = excluded.kid
    where excluded.profile_seq > c.profile_seq or (c.kid is null and excluded.kid is not null)`

export interface ConfirmedProfile {
  sender: Sender
  agentId: string
  hash: string
  seq: number
  /** True if the profile denies every call. */
  stops: boolean
}

/** Stores which profiles instances have in force. The profiles must be the current ones, and no instance may name an agent twice. */
export async function storeProfileConfirmations(tx: Tx, profiles: readonly ConfirmedProfile[]): Promise<void> {
  if (profiles.length === 0) return
  const column = (of: (profile: ConfirmedProfile) => unknown) => profiles.map(of)
  await tx.all(
    raw(upsertProfiles, [
      tx.tenantId,
      column(({ agentId }) => agentId),
      column(({ hash }) => hash),
      column(({ seq }) => seq),
      column(({ stops }) => stops),
      column(({ sender }) => sender.credentialId),
      column(({ sender }) => sender.instanceId),
      column(({ sender }) => sender.now),
      column(({ sender }) => sender.kid),
    ]),
  )
}
