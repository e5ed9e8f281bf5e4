import type { TimelineQuery } from '@mandate/contract/decisions'
import type { Member } from '../../../authz/actor.ts'
import { boundEnvironment } from '../../../authz/can.ts'
import { isLimitedByGrants } from '../../../caller/records-in-sight.ts'
import type { Sql } from '../../../db/database.ts'
import { findVisible, findVisibleAgents } from '../list/list-queries.ts'
import { tenantSubjects, totalSubjects } from '../records/count-decisions.ts'
import { anyTool, readToolFilter, type ToolFilter } from '../records/tool-filter.ts'
import type { CountFilter } from './timeline-queries.ts'

/** A scoped user with more agents gets the counts of this many of them. */
const mostAgents = 10_000

export type CountedBy = Partial<
  Pick<TimelineQuery, 'agent_id' | 'policy_id' | 'rule_id' | 'edge_id' | 'environment_id' | 'effect' | 'mode' | 'tool'>
>

export interface CountSpan {
  from: string
  to: string
}

/**
 * Returns which counts answer a request of the actor.
 * A caller who does not see the agent gets a filter without subjects.
 */
export async function countFilterOf(
  db: Sql,
  actor: Member,
  asked: CountedBy,
  { from, to }: CountSpan,
): Promise<CountFilter> {
  const tool = readToolFilter(asked.tool)
  const { of, subjects, edgeId } = await subjectsOf(db, actor, asked, tool)
  return {
    of,
    subjects,
    edgeId,
    policyId: asked.policy_id ?? null,
    ruleId: asked.rule_id ?? null,
    environmentId: environmentOf(actor, asked.environment_id),
    effect: asked.effect ?? null,
    mode: asked.mode ?? null,
    tool,
    from,
    to,
  }
}

/** A key that is bound to an environment sees no other. An id that no environment has selects nothing. */
function environmentOf(actor: Member, asked: string | undefined): string | null {
  const bound = boundEnvironment(actor)
  if (bound === null || asked === undefined || asked === bound) return bound ?? asked ?? null
  return 'ffffffff-ffff-ffff-ffff-ffffffffffff'
}

async function subjectsOf(
  db: Sql,
  actor: Member,
  { agent_id, edge_id, policy_id, rule_id }: CountedBy,
  tool: ToolFilter,
): Promise<Pick<CountFilter, 'of' | 'subjects' | 'edgeId'>> {
  if (agent_id !== undefined) {
    return { of: 'agents', subjects: await findVisible(db, actor, [agent_id]), edgeId: edge_id ?? null }
  }
  if (isLimitedByGrants(actor)) {
    return { of: 'agents', subjects: await findVisibleAgents(db, actor, mostAgents), edgeId: edge_id ?? null }
  }
  if (edge_id !== undefined) return { of: 'edge', subjects: [edge_id], edgeId: null }
  const needsKinds = policy_id !== undefined || rule_id !== undefined || tool !== anyTool
  return { of: 'tenant', subjects: needsKinds ? tenantSubjects : totalSubjects, edgeId: null }
}
