import type { Rule, Snapshot } from '@mandate/policy/types'
import { sql as fragment, type Selectable } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { policyInReachOf, policyVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statements/statement.ts'
import type { DB } from '../../db/statements/types.generated.ts'
import type { PlanStanding } from './rules.ts'

const columns = [
  'id',
  'tenant_id',
  'name',
  'description',
  'environment_id',
  'override_mode',
  'default_effect',
  'dlp_enabled',
  'version',
  'created_at',
  'updated_at',
] as const

/** The columns of a policy, without its rules. */
export type PolicyRow = Selectable<Pick<DB['policies'], (typeof columns)[number]>>
export type PolicyWithRules = PolicyRow & { rules: Rule[] }

const ruleColumns = ['id', 'name', 'priority', 'enabled', 'effect', 'match', 'reason', 'limit'] as const

// PostgreSQL builds the rules' JSON, so that a list of policies takes one statement.
const rulesOfRow = fragment<Rule[]>`coalesce((
  select json_agg(json_build_object('id', r.id, 'name', r.name, 'priority', r.priority, 'enabled', r.enabled,
    'effect', r.effect, 'match', r.match, 'reason', r.reason, 'limit', r."limit") order by r.priority)
  from policy_rules r where r.tenant_id = policies.tenant_id and r.policy_id = policies.id), '[]')`.as('rules')

const visible = (db: Sql, actor: Member) =>
  sql.selectFrom('policies').where('tenant_id', '=', db.tenantId).where(policyVisibleTo(actor))

const withRules = (db: Sql, actor: Member) => visible(db, actor).select(columns).select(rulesOfRow)

const withReach = (db: Sql, actor: Member, id: string) =>
  visible(db, actor)
    .select(columns)
    .select('bindings_version')
    .select(policyInReachOf(actor).as('in_reach'))
    .where('id', '=', id)

export function findPolicy(db: Sql, actor: Member, id: string): Promise<PolicyWithRules | undefined> {
  return db.maybe(withRules(db, actor).where('id', '=', id))
}

/** Returns whether the caller may save the policy; undefined if the caller cannot see it. */
export function findPolicyReach(db: Sql, actor: Member, id: string) {
  return db.maybe(withReach(db, actor, id))
}

/**
 * Returns whether the actor may save each of these policies, and whether an agent that is not archived uses it, by the id of the
 * policy.
 */
export async function findStandings(db: Sql, actor: Member, ids: readonly string[]) {
  const inUse = fragment<boolean>`exists (select from agents a where a.tenant_id = policies.tenant_id
    and a.policy_id = policies.id and a.status <> 'archived')`
  const rows = await db.all(
    visible(db, actor)
      .select(['id', policyInReachOf(actor).as('in_reach'), inUse.as('in_use')])
      .where(({ eb, fn }) => eb('id', '=', fn.any(fragment<string[]>`${ids}::uuid[]`))),
  )
  return new Map(rows.map(({ id, ...standing }) => [id, standing]))
}

/** A name in an environment, or in none, and the policy that has it or asks for it. A policy that is not saved has no id. */
export type NamedPolicy = Pick<PolicyRow, 'name' | 'environment_id'> & { id?: string }

/** Returns the oldest other policy with this name (its `nameKey`) and this environment, and whether the actor sees it. */
export function findNamesake(db: Sql, actor: Member, { id, name, environment_id }: NamedPolicy) {
  return db.maybe(
    sql
      .selectFrom('policies')
      .select('id')
      .select(policyVisibleTo(actor).as('is_visible'))
      .where('tenant_id', '=', db.tenantId)
      .where(fragment<boolean>`name_key = name_key(${name}::text)`)
      .where(fragment<boolean>`environment_id is not distinct from ${environment_id}::uuid`)
      .where(fragment<boolean>`id is distinct from ${id ?? null}::uuid`)
      .orderBy('id')
      .limit(1),
  )
}

// First key of an advisory lock. The second key is a hash of tenant, environment and name. Two names with the same hash only wait for each other.
const nameLock = 1_129_270_869

/**
 * Waits until no other transaction gives a policy this name in this environment, and keeps others from it until this transaction ends.
 * Take it after the rows of policies and environments are locked.
 */
export function lockName(tx: Tx, { name, environment_id }: NamedPolicy) {
  return tx.all(
    raw(`select pg_advisory_xact_lock(${nameLock}, hashtext(concat_ws(' ', $1::text, $2::text, name_key($3::text))))`, [
      tx.tenantId,
      environment_id,
      name,
    ]),
  )
}

/** Locks the policy until the transaction ends. Its rules are read after the lock, when no other save can change them. */
export function lockPolicy(tx: Tx, actor: Member, id: string) {
  return tx.maybe(withReach(tx, actor, id).forUpdate('policies'))
}

/** Returns the rules in the order of their priority. */
export function findRules(db: Sql, policyId: string): Promise<Rule[]> {
  return db.all(
    sql
      .selectFrom('policy_rules')
      .select(ruleColumns)
      .where('tenant_id', '=', db.tenantId)
      .where('policy_id', '=', policyId)
      .orderBy('priority'),
  )
}

export type NewPolicyState = Omit<Snapshot, 'rules'> & {
  id: string
  version: number
  content_hash: string
  now: string
}

/** Values for the parameters $1 to $11 of the two statements below. */
const stateValues = (tx: Tx, policy: NewPolicyState) => [
  tx.tenantId,
  policy.id,
  policy.name,
  policy.description ?? '',
  policy.environment_id,
  policy.override_mode,
  policy.default_effect,
  policy.dlp_enabled,
  policy.version,
  policy.content_hash,
  policy.now,
]

const insertPolicyText = `
  insert into policies (tenant_id, id, name, description, environment_id, override_mode, default_effect, dlp_enabled,
    version, content_hash, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`

export function insertPolicy(tx: Tx, policy: NewPolicyState) {
  return tx.all(raw(insertPolicyText, stateValues(tx, policy)))
}

const updatePolicyText = `
  update policies set name = $3, description = $4, environment_id = $5, override_mode = $6, default_effect = $7,
    dlp_enabled = $8, version = $9, content_hash = $10, updated_at = $11
  where tenant_id = $1 and id = $2`

export function updatePolicyRow(tx: Tx, policy: NewPolicyState) {
  return tx.all(raw(updatePolicyText, stateValues(tx, policy)))
}

/** Inserts rules; a rule with an existing id is overwritten. */
export function upsertRules(tx: Tx, policyId: string, rules: readonly Rule[]) {
  return tx.all(
    raw(
      `insert into policy_rules (tenant_id, id, policy_id, name, priority, enabled, effect, match, reason, "limit")
       select $1::uuid, r.id, $2::uuid, r.name, r.priority, r.enabled, r.effect, r.match, r.reason, r."limit"
       from jsonb_to_recordset($3::jsonb) as r (id uuid, name text, priority integer, enabled boolean, effect text,
         match jsonb, reason text, "limit" jsonb)
       on conflict (tenant_id, id) do update set name = excluded.name, priority = excluded.priority,
         enabled = excluded.enabled, effect = excluded.effect, match = excluded.match, reason = excluded.reason,
         "limit" = excluded."limit"
       where policy_rules.policy_id = excluded.policy_id`,
      [tx.tenantId, policyId, JSON.stringify(rules)],
    ),
  )
}

export function deleteRules(tx: Tx, policyId: string, ids: readonly string[]) {
  return tx.all(
    raw('delete from policy_rules where tenant_id = $1 and policy_id = $2 and id = any($3::uuid[])', [
      tx.tenantId,
      policyId,
      ids,
    ]),
  )
}

export function deletePolicyRow(tx: Tx, id: string) {
  return tx.all(raw('delete from policies where tenant_id = $1 and id = $2', [tx.tenantId, id]))
}

/** Returns whether an agent that is not archived uses the policy. */
export async function isPolicyInUse(tx: Tx, policyId: string): Promise<boolean> {
  const text = `select exists (select from agents
    where tenant_id = $1 and policy_id = $2 and status <> 'archived') as found`
  return (await tx.one(raw<{ found: boolean }>(text, [tx.tenantId, policyId]))).found
}

/**
 * Returns whether the policy is used by a runtime agent (registered by an edge or a program) that is not in the environment
 * `environmentId`. Archived agents do not count.
 */
export async function isPolicyUsedElsewhere(tx: Tx, policyId: string, environmentId: string): Promise<boolean> {
  const text = `select exists (select from agents
    where tenant_id = $1 and policy_id = $2 and source = 'runtime' and status <> 'archived'
      and environment_id is distinct from $3::uuid) as found`
  return (await tx.one(raw<{ found: boolean }>(text, [tx.tenantId, policyId, environmentId]))).found
}

/** Removes the policy from the archived agents that have it, so that the policy can be deleted. */
export function releaseArchivedAgents(tx: Tx, policyId: string) {
  return tx.all(
    raw(`update agents set policy_id = null where tenant_id = $1 and policy_id = $2 and status = 'archived'`, [
      tx.tenantId,
      policyId,
    ]),
  )
}

/** Returns the tenant's plan, and whether it is at least `floor`. */
export function findPlan(db: Sql, floor: string) {
  return db.one(
    raw<PlanStanding>(
      `select t.plan, p.rank >= f.rank as reaches from tenants t
       join plans p on p.name = t.plan join plans f on f.name = $2 where t.id = $1`,
      [db.tenantId, floor],
    ),
  )
}
