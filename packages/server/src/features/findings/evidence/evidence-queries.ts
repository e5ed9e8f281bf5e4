import type { ExecutionCoverage } from '@mandate/contract/agents'
import type { z } from 'zod'
import { coverageJoins, coverageState, newestEvidence } from '../../../agent-state/coverage.ts'
import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { FoundAgent } from '../record-finding.ts'
import type { Axes } from '../rules.ts'

/** An agent's evidence and its open coverage findings. */
export interface EvidenceState extends FoundAgent, Axes {
  is_production: boolean
  /** True for archived and suppressed agents. The server opens no findings on these agents. */
  has_left: boolean
  state: z.output<typeof ExecutionCoverage>['state']
  newest_at: string | null
  gap: { id: string; evidence: object } | null
  stale_id: string | null
  /** The state of execution coverage of which the last event told. */
  told_state: string | null
}

type EvidenceRow = Omit<EvidenceState, 'attested' | 'observed' | 'gap'> &
  Record<'mode' | 'attested_at' | 'window_start' | 'window_end', string | null> &
  Record<'actions_seen' | 'actions_mediated' | 'unmediated_seen', number | null> & {
    gap_id: string | null
    gap_evidence: object | null
  }

const evidence = { evidence: 'v', findings: 'f' }
const state = coverageState({ ...evidence, now: 'q.now' })
const hasLeft = `(a.status = 'archived' or a.governance_state = 'suppressed')`

// SQL aliases: `v` is the agent's latest attestation and latest reporting window. `w` is the latest reporting window in which
// an action was counted. The coverage state uses `v`. The finding `coverage_gap` uses `w`, because a window without actions
// cannot show a gap.
const evidenceText = `
  select a.id as agent_id, a.name, a.environment_id, coalesce(e.is_production, false) as is_production,
    ${hasLeft} as has_left, ${state} as state, ${newestEvidence('v')} as newest_at,
    v.mode, v.attested_at, w.window_start, w.window_end, w.actions_seen, w.actions_mediated, w.unmediated_seen,
    g.id as gap_id, g.evidence as gap_evidence, o.id as stale_id, v.told_state
  from agents a cross join (select $3::timestamptz as now) q
  left join environments e on e.tenant_id = $1 and e.id = a.environment_id
  ${coverageJoins({ agent: 'a', ...evidence })}
  left join lateral (select * from execution_stats x
    where x.tenant_id = $1 and x.agent_id = a.id and x.actions_seen + x.unmediated_seen > 0
    order by x.window_end desc, x.window_start desc limit 1) w on true
  left join findings g on g.tenant_id = $1 and g.agent_id = a.id and g.type = 'coverage_gap' and g.status = 'open'
  left join findings o on o.tenant_id = $1 and o.agent_id = a.id and o.type = 'evidence_stale' and o.status = 'open'
  where a.tenant_id = $1 and a.id = any($2) order by a.id`

/** Returns the agents' evidence and open coverage findings, as they are at the time `now`. The agents' rows must be locked. */
export async function findEvidence(tx: Tx, agentIds: readonly string[], now: string): Promise<EvidenceState[]> {
  return (await tx.all(raw<EvidenceRow>(evidenceText, [tx.tenantId, agentIds, now]))).map(shaped)
}

function shaped(row: EvidenceRow): EvidenceState {
  const { mode, attested_at, window_start, window_end, actions_seen, actions_mediated, unmediated_seen } = row
  const { gap_id, gap_evidence, ...rest } = row
  return {
    ...rest,
    attested: attested_at === null ? null : ({ mode, attested_at } as EvidenceState['attested']),
    observed:
      window_end === null
        ? null
        : ({ window_start, window_end, actions_seen, actions_mediated, unmediated_seen } as EvidenceState['observed']),
    gap: gap_id === null ? null : { id: gap_id, evidence: gap_evidence ?? {} },
  }
}

interface StalePage {
  /** Number of agents that were checked. */
  read: number
  last_id: string | null
  stale: string[]
}

const staleText = `
  with looked_at as (
    select a.tenant_id, a.id from agents a
    where a.tenant_id = $1 and ($2::uuid is null or a.id > $2) and not ${hasLeft} order by a.id limit $4
  )
  select count(*) as read, (array_agg(a.id order by a.id desc))[1] as last_id,
    coalesce(array_agg(a.id order by a.id) filter (where ${state} = 'stale' and o.id is null), '{}') as stale
  from looked_at a cross join (select $3::timestamptz as now) q ${coverageJoins({ agent: 'a', ...evidence })}
  left join findings o on o.tenant_id = $1 and o.agent_id = a.id and o.type = 'evidence_stale' and o.status = 'open'`

/**
 * Checks one page of agents in the order of their ids, from the first id after `after`. Returns the agents whose evidence is
 * stale at the time `now` and that have no open `evidence_stale` finding.
 */
export function findStale(tx: Tx, { after, limit, now }: { after: string | null; limit: number; now: string }) {
  return tx.one(raw<StalePage>(staleText, [tx.tenantId, after, now, limit]))
}

/** Stores the state of execution coverage of which an event tells. */
export async function storeToldState(tx: Tx, agentId: string, state: string): Promise<void> {
  const text = 'update agent_evidence set told_state = $3 where tenant_id = $1 and agent_id = $2'
  await tx.all(raw(text, [tx.tenantId, agentId, state]))
}
