import type { DecisionReplay } from '@mandate/contract/policies'
import { sql as fragment } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import type { Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statement.ts'

type Example = DecisionReplay['examples'][number]

/** Decisions that are alike in all that is recorded of them, but the arguments' digest. */
export type RecordedKind = Pick<Example, 'tool' | 'was' | 'mode' | 'policy_version' | 'calls' | 'last_at'>

export interface Span {
  policyId: string
  from: string
  to: string
  /** At most so many decisions are read, and so many kinds of them answered, the most frequent first. */
  decisionLimit: number
  kindLimit: number
}

/**
 * What edges recorded from `from` to `to` of the agents under a policy that the actor sees, counted by kind; `read` and
 * `kinds` are of everything read.
 */
export function countDecisions(tx: Tx, actor: Member, { policyId, from, to, decisionLimit, kindLimit }: Span) {
  const { sql: text, parameters } = fragment`
    with recorded as (
      select d.tool, d.effect, d.mode, d.policy_version, d.at
      from agents a join decisions d on d.tenant_id = ${tx.tenantId} and d.agent_id = a.id
      where a.tenant_id = ${tx.tenantId} and a.policy_id = ${policyId} and a.status <> 'archived'
        and ${agentVisibleTo(actor, 'a')} and d.at >= ${from}::timestamptz and d.at <= ${to}::timestamptz
      limit ${decisionLimit}
    ), kinds as (
      select tool, effect as was, mode, policy_version, count(*) as calls, max(at) as last_at
      from recorded group by tool, effect, mode, policy_version
    )
    select k.*, (sum(k.calls) over ())::bigint as read, count(*) over () as kinds
    from kinds k order by k.calls desc, k.tool, k.was, k.mode, k.policy_version limit ${kindLimit}`.compile(sql)
  return tx.all(raw<RecordedKind & { read: number; kinds: number }>(text, parameters))
}
