import { declaredHours } from '@mandate/contract/tools'
import { frozenOfTenantSql } from '../../../agent-state/frozen.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { declaresUnpinned, unpinnedRanges } from '../tool-queries.ts'

/** A tool with pins, and the definitions that are declared and not pinned. */
export interface ChangedRow {
  id: string
  tool: string
  labels: string[]
  hashes: string[]
}

const withPins = `t.tenant_id = $1 and t.pins <> '{}' and t.block_reason is null`

/** Of each tool, at most this many definitions are named. */
const mostHashes = 5
// One look into the index for each hash, so the reports of one hash are read once.
const nextHash = (after: string) => `(select r.hash from ${unpinnedRanges} u cross join lateral (
    select r.hash from tool_reports r where r.tenant_id = $1 and r.tool_id = t.id and r.hash > greatest(u.after, ${after}) and r.hash < u.before
      and r.reported_at > $3::timestamptz - interval '${declaredHours} hours' order by r.hash limit 1) r
    order by r.hash limit 1)`
const hashes = `array(with recursive h (hash, place) as (
    select ${nextHash("''")}, 1 union all select ${nextHash('h.hash')}, place + 1 from h where h.hash is not null and place < ${mostHashes})
  select hash from h where hash is not null order by hash)`
const changed = `select t.id, t.tool, t.labels, ${hashes} as hashes from tools t
  where ${withPins} and t.environment_id = $2 and ${declaresUnpinned('$3')} order by t.tool`

/**
 * Returns the tools of an environment with a definition that is declared and not pinned, by name. There are at most 5,000. Tools without pins and
 * tools that are blocked are left out.
 */
export function findChanged(db: Sql, environmentId: string, now: string) {
  return db.all(raw<ChangedRow>(changed, [db.tenantId, environmentId, now]))
}

/** What decides calls in an environment besides agents and their policies. A change of it changes the text. */
export async function describeEnvironment(db: Sql, environmentId: string): Promise<string> {
  const text = `select e.name, e.slug, e.is_production, g.governance_gate from environments e join tenants g on g.id = $1
    where e.tenant_id = $1 and e.id = $2`
  return JSON.stringify(await db.all(raw(text, [db.tenantId, environmentId])))
}

/** Agents of an environment that have the same policy and the same state. */
export interface AgentGroup {
  policyId: string | null
  policyVersion: number | null
  status: string
  lifecycleStatus: string
  frozen: boolean
  /** The id of one of the agents. */
  id: string
  /** A number as text that changes with the agents and their names. */
  members: string
}

/** More groups are not told apart. */
const mostGroups = 1_000
const frozen = frozenOfTenantSql({ agent: 'a', tenantId: '$1' })
const live = `a.tenant_id = $1 and a.environment_id = $2 and a.status <> 'archived'`
// The sums do not depend on the order, so nothing is sorted and the memory does not grow with the number of agents.
const sumOfHashes = (value: string) => `sum(hashtextextended(${value}, 0)::numeric)`
const groups = `with grouped as (
    select a.policy_id, a.status, a.lifecycle_status, ${frozen} as frozen, min(a.id::text) as id,
      ${sumOfHashes("concat_ws(' ', a.id, a.name)")} as members
    from agents a where ${live} group by 1, 2, 3, 4),
  versions as (select s.*, p.version from grouped s left join policies p on p.tenant_id = $1 and p.id = s.policy_id)
  select policy_id as "policyId", version as "policyVersion", status, lifecycle_status as "lifecycleStatus", frozen, id, members::text,
    count(*) over ()::int as found,
    ${sumOfHashes('row(members, policy_id, version, status, lifecycle_status, frozen)::text')} over ()::text as "whole"
  from versions order by id limit ${mostGroups}`

/**
 * Groups the agents of an environment that are not archived, with one statement. `groups` is null if there are too many of them. `whole` is a number as
 * text that changes with any group.
 */
export async function findGroups(
  db: Sql,
  environmentId: string,
): Promise<{ groups: AgentGroup[] | null; whole: string }> {
  const rows = await db.all(raw<AgentGroup & { found: number; whole: string }>(groups, [db.tenantId, environmentId]))
  const [first] = rows
  const isWhole = first === undefined || first.found === rows.length
  return { groups: isWhole ? rows : null, whole: first?.whole ?? '' }
}

/**
 * Which agents of a group are settled: all of them if `each` is true, otherwise those whose open finding has other evidence. Without evidence, they
 * should have no open finding.
 */
export interface Looked extends Pick<AgentGroup, 'policyId' | 'status' | 'lifecycleStatus' | 'frozen'> {
  each: boolean
  evidence: object | null
}

const noPolicy = "'00000000-0000-0000-0000-000000000000'::uuid"
// `coalesce` makes the comparison an equality, which the database can hash. Otherwise it would compare each agent with each group.
const looked = `select a.id from agents a
    join jsonb_to_recordset($5::jsonb) as g ("policyId" uuid, status text, "lifecycleStatus" text, frozen boolean, each boolean, evidence jsonb)
      on coalesce(g."policyId", ${noPolicy}) = coalesce(a.policy_id, ${noPolicy}) and g.status = a.status
        and g."lifecycleStatus" = a.lifecycle_status and g.frozen = ${frozen}
    left join findings f on f.tenant_id = $1 and f.agent_id = a.id and f.type = 'tool_definition_changed' and f.status = 'open'
  where ${live} and a.id > $3::uuid and (g.each or f.evidence is distinct from g.evidence) order by a.id limit $4`

/** Returns the next agents of these groups by id. */
export async function findLooked(
  db: Sql,
  environmentId: string,
  groups: readonly Looked[],
  after: string,
  most: number,
): Promise<string[]> {
  const values = [db.tenantId, environmentId, after, most, JSON.stringify(groups)]
  return (await db.all(raw<{ id: string }>(looked, values))).map(({ id }) => id)
}

const pinned = `select e.id from environments e where e.tenant_id = $1 and e.tool_pinning <> 'off'
  and exists (select from tools t where ${withPins} and t.environment_id = e.id) order by e.id`

/** Returns the environments whose tools can have changed definitions. */
export async function findEnvironmentsWithPins(db: Sql): Promise<string[]> {
  return (await db.all(raw<{ id: string }>(pinned, [db.tenantId]))).map(({ id }) => id)
}

/** For what the findings of an environment were last settled, as digests, and when all of its agents were last looked at. */
export interface Settled {
  id: string
  changes: string
  at: string
}

/** Returns for which changes the findings of environments were settled. Environments without changes are left out. */
export function findSettled(db: Sql) {
  const text = `select environment_id as id, settled_changes as changes, settled_at as at from tool_inventories
    where tenant_id = $1 and settled_changes is not null`
  return db.all(raw<Settled>(text, [db.tenantId]))
}

/** `changes` is null if the environment has no changed definitions any more. */
export async function storeSettled(tx: Tx, environmentId: string, changes: string | null, at: string): Promise<void> {
  const text =
    'update tool_inventories set settled_changes = $3, settled_at = $4 where tenant_id = $1 and environment_id = $2'
  await tx.all(raw(text, [tx.tenantId, environmentId, changes, at]))
}

/** Returns the next agents of an environment by id that are not archived. */
export async function findLiveAgents(db: Sql, environmentId: string, after: string, most: number): Promise<string[]> {
  const text = `select id from agents where tenant_id = $1 and environment_id = $2 and id > $3::uuid and status <> 'archived'
    order by id limit $4`
  return (await db.all(raw<{ id: string }>(text, [db.tenantId, environmentId, after, most]))).map(({ id }) => id)
}
