import type { DecisionReplay } from '@mandate/contract/policies'
import { sql as fragment } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import type { Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statement.ts'

type Example = DecisionReplay['examples'][number]

/** A group of recorded decisions that differ only in the digest of their arguments and in their time. */
export type RecordedKind = Pick<Example, 'tool' | 'was' | 'mode' | 'policy_version' | 'calls' | 'last_at'>

export interface Span {
  policyId: string
  from: string
  to: string
  /** Maximum number of kinds of decisions to return. The most frequent kinds are returned. */
  kindLimit: number
}

/** Maximum number of decisions that a replay reads. */
export const decisionLimit = 10_000
/** Maximum number of agents whose decisions a replay reads. */
export const agentLimit = 5000

export interface Counted {
  /** The most frequent kinds of decisions. */
  kinds: RecordedKind[]
  /** Number of kinds of decisions that were found. It can be larger than the length of `kinds`. */
  found: number
  /** Number of decisions that were read. */
  read: number
  /** Number of agents whose decisions were read. */
  agents: number
}

/**
 * Groups recorded decisions into kinds (see `RecordedKind`) and counts each kind. Reads the decisions from `from` to `to` of
 * agents that have the policy `policyId` and that the actor sees. Reads the newest `agentLimit` agents, at most `perAgent`
 * decisions per agent, and at most `decisionLimit` decisions in total.
 */
export async function countDecisions(
  tx: Tx,
  actor: Member,
  { policyId, from, to, kindLimit }: Span,
  perAgent = decisionLimit,
): Promise<Counted> {
  // Constant limits, because PostgreSQL estimates a parameterised limit as 10 % of the rows.
  const { sql: text, parameters } = fragment`
    with asked as materialized (
      select a.id from agents a
      where a.tenant_id = ${tx.tenantId} and a.policy_id = ${policyId} and a.status <> 'archived' and ${agentVisibleTo(actor, 'a')}
      order by a.id desc limit ${fragment.lit(agentLimit)}
    ), recorded as materialized (
      select d.tool, d.effect, d.mode, d.policy_version, d.at
      from asked cross join lateral (
        select r.tool, r.effect, r.mode, r.policy_version, r.at from decisions r
        where r.tenant_id = ${tx.tenantId} and r.agent_id = asked.id
          and r.at >= ${from}::timestamptz and r.at <= ${to}::timestamptz
        order by r.at desc limit ${perAgent}) d
      limit ${fragment.lit(decisionLimit)}
    ), kinds as (
      select tool, effect as was, mode, policy_version, count(*) as calls, max(at) as last_at
      from recorded group by tool, effect, mode, policy_version
    )
    select k.*, r.read, r.agents, count(k.tool) over () as found
    from (select (select count(*) from recorded) as read, (select count(*) from asked) as agents) r
    left join kinds k on true
    order by k.calls desc, k.tool, k.was, k.mode, k.policy_version limit ${kindLimit}`.compile(sql)
  const rows = await tx.all(raw<RecordedKind & Omit<Counted, 'kinds'>>(text, parameters))
  const { found, read, agents } = rows[0]!
  return { kinds: found === 0 ? [] : rows, found, read, agents }
}
