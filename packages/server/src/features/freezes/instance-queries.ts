import { freezeScopes } from '@mandate/contract/freezes'
import {
  countRunning,
  instanceIsVisible,
  instancesWith,
  isOfEdge,
  isSilent,
  mostInstancesTested,
  runningInstances,
  silentInstancesWith,
} from '../../agent-state/edge-instances.ts'
import type { Member } from '../../authz/actor.ts'
import { statementsBySight } from '../../authz/by-sight.ts'
import type { Sight } from '../../authz/sight.ts'
import type { Sql } from '../../db/database.ts'
import { countedAtMost } from '../../db/lists/bounded-count.ts'
import { namedSql } from '../../db/statements/named-parameters.ts'

// The edges of a freeze are counted by running instance. An edge may serve any agent of its environment, so the freeze of an agent
// concerns every edge of the environment, and the instances that use the agent's own key.

type Scope = (typeof freezeScopes)[number]

/**
 * SQL condition on an instance `i`: the freeze covers it. A freeze of an agent covers the edges of the agent's environment and the agent's own
 * key. The condition names these credentials, because the environment may have many instances with keys of other agents.
 */
const isInPlace = {
  agent: `i.credential_id = any (array(select x.id from edges x where x.tenant_id = :tenantId and x.environment_id = :place::uuid
    union all select :target::uuid))`,
  environment: 'i.environment_id = :target',
  organization: 'true',
}

/** SQL: the first instances in the place of the freeze, in the order of their names. `condition` narrows them. */
export const instancesInPlace = (sight: Sight, scope: Scope, condition: string, limit: number | string) =>
  `${instancesWith(sight, `${isInPlace[scope]} and ${condition}`)} order by i.credential_id, i.instance_id limit ${limit}`

/** SQL condition: the actor sees the confirmation `c`. */
export const confirmationIsVisible = (sight: Sight) =>
  instanceIsVisible(sight, 'c.environment_id', 'c.edge_id', 'c.agent_id')

/** SQL condition on an instance `i`: if it runs, it has to confirm, and it did not. */
const isUnconfirmed = (scope: Scope) => `i.agents > 0 and i.started_at <= :startedBy::timestamptz
    and ${scope === 'agent' ? `(i.credential_id = :target or ${isOfEdge})` : 'true'}
    and not exists (select from freeze_confirmations c where c.tenant_id = :tenantId and c.freeze_id = :freezeId
      and c.credential_id = i.credential_id and c.instance_id = i.instance_id)`

/** SQL for a `from` clause: the running instances `i` that have to confirm and did not, of `instances`. */
export const unconfirmedOf = (sight: Sight, scope: Scope, instances: string) =>
  `${runningInstances(sight, instances)} and ${isUnconfirmed(scope)}`

export interface InstanceCounts {
  confirmed: number
  /** Instances that have not confirmed, the silent ones included. */
  open: number
  /** Silent instances that have not confirmed. */
  unreachable: number
  /** When the last confirmation arrived. */
  last_at: string | null
}

const confirmedOf = (sight: Sight) => `from freeze_confirmations c
    where c.tenant_id = :tenantId and c.freeze_id = :freezeId and ${confirmationIsVisible(sight)}`
const lastOf = (sight: Sight) => `(select c.received_at ${confirmedOf(sight)} order by c.received_at desc limit 1)`

/** SQL: the instances in the place of the freeze that did not confirm, whether or not they run. */
const unconfirmedIn = (sight: Sight, scope: Scope) =>
  instancesWith(sight, `${isInPlace[scope]} and ${isUnconfirmed(scope)}`)

// The place of a freeze of an agent has few instances, but the organization may have many that are marked as late.
const silentIn = (sight: Sight, scope: Scope) =>
  scope === 'agent'
    ? `${unconfirmedIn(sight, scope)} and ${isSilent}`
    : silentInstancesWith(sight, `${isInPlace[scope]} and ${isUnconfirmed(scope)}`)

// The cheap conditions are inside, so that only instances that did not confirm are tested for whether they run.
const countsOf = statementsBySight({ scope: freezeScopes }, ({ sight, scope }) =>
  namedSql<InstanceCounts>(`
    select (select count(*) from (select ${confirmedOf(sight)} limit ${countedAtMost}) c) as confirmed, ${lastOf(sight)} as last_at,
      ${countRunning(sight, unconfirmedIn(sight, scope))} as open, ${countRunning(sight, silentIn(sight, scope))} as unreachable`),
)

const hasMoreOf = statementsBySight({ scope: freezeScopes }, ({ sight, scope }) =>
  namedSql<{ has_more: boolean }>(
    `select exists (${unconfirmedIn(sight, scope)} offset ${mostInstancesTested}) as has_more`,
  ),
)

/** Number of rows that the counts of one page of freezes read, all freezes of the page together. */
const readForPage = 20_000

// `limit` is also a constant, because PostgreSQL estimates a limit that is a parameter as 10 % of the rows. Instances are only selected and
// tested if they and the confirmations are few.
const fewOf = statementsBySight({ scope: freezeScopes }, ({ sight, scope }) => {
  const confirmed = `(select ${confirmedOf(sight)} limit ${countedAtMost}) c`
  const isMore = (rows: string) => `exists (select from ${rows} offset :most::int - 1)`
  return namedSql<InstanceCounts & { is_whole: boolean }>(`
    with whole as materialized (select not ${isMore(`(${instancesInPlace(sight, scope, 'true', readForPage)}) i`)}
      and not ${isMore(confirmed)} as is_whole),
    scanned as materialized (${instancesInPlace(sight, scope, '(select is_whole from whole)', readForPage)})
    select (select count(*) from ${confirmed} where (select is_whole from whole)) as confirmed, ${lastOf(sight)} as last_at,
      count(*) as open, count(*) filter (where ${isSilent}) as unreachable, (select is_whole from whole) as is_whole
    from ${unconfirmedOf(sight, scope, 'select * from scanned')}`)
})

/** What the instances of a freeze depend on. `startedBy` leaves out instances that started later. */
export interface FreezeInstances {
  freezeId: string
  scope: Scope
  target: string
  place: string | null
  startedBy: string
}

export interface QuietTime {
  seconds: number
  silentBefore: string
}

/** Counts the instances of a freeze that the actor sees. Each count stops at 10,000. */
export function countInstances(db: Sql, actor: Member, instances: FreezeInstances, quiet: QuietTime) {
  const { scope, ...values } = instances
  return db.one(countsOf(actor, { scope }, { ...values, ...quiet }))
}

/** True if more instances did not confirm than `countInstances` tests for whether they run. */
export async function hasUntested(db: Sql, actor: Member, instances: FreezeInstances): Promise<boolean> {
  const { scope, ...values } = instances
  return (await db.one(hasMoreOf(actor, { scope }, { ...values }))).has_more
}

/**
 * Like `countInstances`, for one of the freezes of a page. Undefined if the counts need more rows than the share of this freeze, so that
 * a page of many freezes reads no more rows than a page of a few.
 */
export async function countFewInstances(
  db: Sql,
  actor: Member,
  instances: FreezeInstances,
  quiet: QuietTime,
  freezesOfPage: number,
): Promise<InstanceCounts | undefined> {
  const { scope, ...values } = instances
  const most = Math.ceil(readForPage / freezesOfPage)
  const { is_whole, ...counts } = await db.one(fewOf(actor, { scope }, { ...values, ...quiet, most }))
  return is_whole ? counts : undefined
}
