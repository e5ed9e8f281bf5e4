import type { AgentFilters } from '@mandate/contract/agents'
import { sql as fragment, type RawBuilder } from 'kysely'
import { slot } from '../../db/shaped-statement.ts'
import { evidenceShowsGap, freshness, newestEvidence } from './coverage-state.ts'

/**
 * For the states that few agents have while all is well: a select of `agent_id` by index that misses no agent in that state
 * at `q.now`. It may name others: the state is computed for each.
 */
export const coverageCandidates: Partial<
  Record<NonNullable<AgentFilters['execution_coverage']>, RawBuilder<{ agent_id: string }>>
> = {
  stale: fragment`select v.agent_id from agent_evidence v
    where v.tenant_id = ${slot('tenantId')} and ${fragment.raw(newestEvidence)} < (select now from q) - ${fragment.raw(freshness)}`,
  partial: fragment`select v.agent_id from agent_evidence v
    where v.tenant_id = ${slot('tenantId')} and ${fragment.raw(evidenceShowsGap)}
    union select f.agent_id from findings f
    where f.tenant_id = ${slot('tenantId')} and f.status = 'open' and f.type = 'coverage_gap'`,
}
