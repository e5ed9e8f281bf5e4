import type { FreezeTarget } from '@mandate/contract/freezes'
import type { Member } from '../../../authz/actor.ts'
import type { Sql } from '../../../db/database.ts'
import { invalid, notFound } from '../../../refusal.ts'
import { type FoundTarget, findAgentTarget, findEnvironmentTarget, findOrganizationTarget } from './target-queries.ts'

/**
 * Returns the target of a freeze.
 * @throws 404 for an agent or environment that the actor does not see
 */
export async function requireTarget(db: Sql, actor: Member, target: FreezeTarget): Promise<FoundTarget> {
  const { scope, agent_id: agentId, environment_id: environmentId } = target
  if (scope === 'organization') {
    return { scope, ...(await findOrganizationTarget(db)), environmentId: null }
  }
  if (scope === 'environment') {
    const environment = await findEnvironmentTarget(db, actor, environmentId ?? missing('environment_id'))
    if (!environment) throw notFound('environment')
    return { scope, ...environment, environmentId: environment.id }
  }
  const agent = await findAgentTarget(db, actor, agentId ?? missing('agent_id'))
  if (!agent) throw notFound('agent')
  return { scope, id: agent.id, name: agent.name, environmentId: agent.environment_id, status: agent.status }
}

function missing(field: string): never {
  throw invalid(`${field} is required`)
}
