import type { ReportSnapshot } from '@mandate/contract/reports/report-snapshot'
import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../../../authz/actor.ts'
import { agentVisibleTo } from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { raw, sql } from '../../../db/statements/statement.ts'
import { daysIn, type Period } from './period.ts'
import { actsOfPeople, decidedCalls, mostWideFreezes, periodColumns, wideFreezes } from './period-sql.ts'
import { agentCounts, agentLists, joinedAgent, openFindings, policyList, visiblePolicies } from './snapshot-sql.ts'

/** What a report names beside what it gathers. */
export type Named = Pick<ReportSnapshot, 'organization' | 'environment' | 'made_by' | 'period'>

export type Gathered = Required<Omit<ReportSnapshot, keyof Named | 'counts'>> & {
  counts: Required<ReportSnapshot['counts']>
}

/** What a report covers: what the actor sees at `now` in an environment, or in all environments (null), and what happened in the period. */
export interface Scope {
  actor: Member
  environmentId: string | null
  now: string
  period: Period
}

const { raw: text, lit } = fragment

const liveAgents = (db: Sql, { environmentId }: Scope) => fragment`from agents a
  where a.tenant_id = ${db.tenantId} and a.status <> 'archived'
    and ${environmentId === null ? fragment`true` : fragment`a.environment_id = ${environmentId}`}`

const happenings = (db: Sql, mostWide: number) => fragment`calls as materialized (${decidedCalls(db.tenantId)}),
    wide as materialized (${wideFreezes(db.tenantId, mostWide)}), acts as materialized (${actsOfPeople(db.tenantId)})`

/** Maximum number of agents, and of policies, for a report that is made within the request. A job makes larger reports. */
export const smallAtMost = 500
/** Maximum number of days of the period of such a report. */
const fewDays = 92

/**
 * Returns whether the report is small enough to be made within the request, by one SQL statement. Reads a limited number of
 * rows.
 */
export async function isSmall(db: Sql, scope: Scope): Promise<boolean> {
  if (daysIn(scope.period) > fewDays) return false
  const beyond = (rows: RawBuilder<unknown>) =>
    fragment`(select count(*) from (select ${rows} limit ${lit(smallAtMost + 1)}) x) > ${lit(smallAtMost)}`
  const { sql: query, parameters } = fragment`select ${beyond(liveAgents(db, scope))}
    or ${beyond(fragment`from policies p where p.tenant_id = ${db.tenantId}`)} as is_large`.compile(sql)
  return !(await db.one(raw<{ is_large: boolean }>(query, parameters))).is_large
}

/** Counts the agents that `gatherAgents` reads, over all batches. */
export async function countAgents(db: Sql, scope: Scope): Promise<number> {
  const { sql: query, parameters } = fragment`select count(*) as count ${liveAgents(db, scope)}`.compile(sql)
  return (await db.one(raw<{ count: number }>(query, parameters))).count
}

/**
 * Gathers the whole content of a report with one statement, so that concurrent writes cannot make its lists and counts
 * disagree.
 */
export async function gatherSnapshot(db: Sql, scope: Scope): Promise<Gathered> {
  const { actor, environmentId, now, period } = scope
  const { sql: query, parameters } = fragment`
    with q as (select ${now}::timestamptz as now, ${periodColumns(period, environmentId)}),
    seen as materialized (${joinedAgent(fragment`(select a.* ${liveAgents(db, scope)})`)} where ${agentVisibleTo(actor, 'a')}),
    rulebooks as materialized (${visiblePolicies(db.tenantId, actor, environmentId)}),
    faults as materialized (${openFindings(db.tenantId)}), ${happenings(db, mostWideFreezes)}
    select jsonb_build_object(
      'counts', ${text(agentCounts)} || jsonb_build_object('policies', (select count(*) from rulebooks)),
      'policies', ${text(policyList)}, ${text(agentLists)}) as snapshot`.compile(sql)
  return (await db.one(raw<{ snapshot: Gathered }>(query, parameters))).snapshot
}

/** Number of agents or policies in one batch of a job. */
export const batchSize = 1000

export type AgentBatch = Omit<Gathered, 'counts' | 'policies'> & {
  counts: Omit<Gathered['counts'], 'policies'>
  /** Id of the last agent of the batch; null for the last batch. */
  last_id: string | null
}

/** Like `gatherSnapshot`, for one batch: the `batchSize` newest agents that are older than the agent with the id `before`. */
export async function gatherAgents(db: Sql, scope: Scope, before: string): Promise<AgentBatch> {
  const batch = (columns: string, rows: string) =>
    fragment`select ${text(columns)} ${liveAgents(db, scope)} and a.id < ${before} order by a.id desc ${text(rows)}`
  const { sql: query, parameters } = fragment`
    with q as (select ${scope.now}::timestamptz as now, ${periodColumns(scope.period, scope.environmentId)}),
    seen as materialized (${joinedAgent(fragment`(${batch('a.*', `limit ${batchSize}`)})`)}
      where ${agentVisibleTo(scope.actor, 'a')}),
    faults as materialized (${openFindings(db.tenantId)}), ${happenings(db, 0)}
    select jsonb_build_object('counts', ${text(agentCounts)}, 'last_id', (${batch('a.id', `offset ${batchSize - 1} limit 1`)}),
      ${text(agentLists)}) as batch`.compile(sql)
  return (await db.one(raw<{ batch: AgentBatch }>(query, parameters))).batch
}

/**
 * Returns one batch of the policies that a report covers, newest first: at most `batchSize` policies that are older than the
 * policy with the id `before`.
 */
export async function gatherPolicies(db: Sql, { actor, environmentId }: Scope, before: string) {
  const { sql: query, parameters } = fragment`
    with rulebooks as materialized (${visiblePolicies(db.tenantId, actor, environmentId)} and p.id < ${before}
      order by p.id desc limit ${lit(batchSize)})
    select ${text(policyList)} as policies`.compile(sql)
  return (await db.one(raw<{ policies: Gathered['policies'] }>(query, parameters))).policies
}
