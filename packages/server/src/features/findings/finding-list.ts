import type { Severity } from '@mandate/contract/agents'
import type { FindingFilters } from '@mandate/contract/reviews'
import { severities } from '@mandate/contract/words/agent-words'
import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment } from '../../authz/can.ts'
import { inEnvironment, limitedTo, partOf, type RecordList, type RecordPart } from '../../db/lists/record-list.ts'

type Filters = Partial<FindingFilters> & Pick<FindingFilters, 'limit' | 'offset'>

/** Open findings have a higher value of the column `attention` than closed findings. */
const lowestOpen = severities.length + 1

/** Returns the list of findings for these filters. Returns null if no finding can match them. */
export function findingList(actor: Member, filters: Filters): RecordList | null {
  const { agent_id, environment_id, severity, sort, limit, offset } = filters
  const byAttention = sort === 'attention'
  const list: RecordList = {
    table: 'findings',
    agentId: agent_id,
    newest: byAttention ? ['attention', 'id'] : ['id'],
    parts: byAttention || severity ? partsByAttention(filters) : [plainPart(filters)],
    limit,
    offset,
  }
  const boundTo = boundEnvironment(actor)
  if (environment_id === undefined || environment_id === boundTo) return list
  if (boundTo !== null) return null
  return agent_id === undefined
    ? inEnvironment(list, environment_id)
    : limitedTo(list, isAgentIn(actor, agent_id, environment_id))
}

const plainPart = ({ agent_id, status, type }: Filters) => partOf({ agent_id, status, type })

/**
 * Selects findings by the column `attention`, which combines status and severity. A part has one value if the severity is given,
 * and otherwise a range of values.
 */
function partsByAttention({ agent_id, type, status, severity }: Filters): RecordPart[] {
  const { also, ...part } = partOf({ agent_id, type })
  const within = (range: RawBuilder<unknown> | undefined): RecordPart => {
    const conditions = [also, range].filter((one) => one !== undefined)
    return {
      ...part,
      newest: ['attention', 'id'],
      ...(conditions.length > 0 && { also: fragment.join(conditions, fragment` and `) }),
    }
  }
  if (severity) return attentionsOf(severity, status).map((value) => within(fragment`r.attention = ${value}`))
  if (status === undefined) return [within(undefined)]
  return [within(status === 'open' ? fragment`r.attention >= ${lowestOpen}` : fragment`r.attention < ${lowestOpen}`)]
}

/** Returns the values of the column `attention` for a severity, as the migration computes them. */
function attentionsOf(severity: Severity, status: Filters['status']): number[] {
  const closed = severities.indexOf(severity) + 1
  const open = closed + severities.length
  if (status === undefined) return [open, closed]
  return [status === 'open' ? open : closed]
}

/** SQL condition: the agent is in the environment. A finding has the environment of its agent. */
const isAgentIn = ({ tenantId }: Member, agentId: string, environmentId: string) =>
  fragment`exists (select from agents a
    where a.tenant_id = ${tenantId} and a.id = ${agentId} and a.environment_id = ${environmentId})`
