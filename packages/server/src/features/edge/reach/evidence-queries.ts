import type { Attestation, ExecutionStats } from '@mandate/contract/edge'
import { copiedFromAgent } from '../../../agent-state/evidence-copies.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { Reach } from './reach.ts'

export function findServed(db: Sql, { agentId, environmentId }: Reach, ids: readonly string[]) {
  const text = `select id from agents
    where tenant_id = $1 and id = any($2::uuid[]) and (id = $3::uuid or environment_id = $4::uuid)`
  return db.all(raw<{ id: string }>(text, [db.tenantId, ids, agentId, environmentId]))
}

/** Returns whether the credential is valid for an agent. If it is, locks the agent's row until the transaction ends. */
export async function lockServed(tx: Tx, { agentId, environmentId }: Reach, id: string): Promise<boolean> {
  const text = `select id from agents
    where tenant_id = $1 and id = $2 and (id = $3::uuid or environment_id = $4::uuid) for no key update`
  return (await tx.maybe(raw(text, [tx.tenantId, id, agentId, environmentId]))) !== undefined
}

// Agents without evidence have no row in agent_evidence. The column `has_evidence` lets an index find these agents.
const markEvidence = `marked as (
    update agents set has_evidence = true where tenant_id = $1 and id = $2 and not has_evidence)`

const upsertAttestation = `
  with ${markEvidence}
  insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at,
    environment_id, is_archived)
  values ($1, $2, $3, $4, $5, $6, $7, ${copiedFromAgent})
  on conflict (tenant_id, agent_id) do update set mode = excluded.mode, tools = excluded.tools,
    mediation_points = excluded.mediation_points, edge_version = excluded.edge_version, attested_at = excluded.attested_at`

/** Replaces the agent's earlier attestation. */
export async function storeAttestation(tx: Tx, claim: Attestation, now: string): Promise<void> {
  const { agent_id, mode, tools, mediation_points, edge_version } = claim
  await tx.all(raw(upsertAttestation, [tx.tenantId, agent_id, mode, tools, mediation_points, edge_version, now]))
}

// If the report of an earlier window arrives late, it is stored, but it does not replace the agent's latest window.
const upsertStats = `
  with kept as (
    insert into execution_stats (tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated,
      unmediated_seen, by_effect, reported_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (tenant_id, agent_id, window_end, window_start) do update set actions_seen = excluded.actions_seen,
      actions_mediated = excluded.actions_mediated, unmediated_seen = excluded.unmediated_seen,
      by_effect = excluded.by_effect, reported_at = excluded.reported_at
  ), ${markEvidence}
  insert into agent_evidence as v (tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated,
    unmediated_seen, reported_at, environment_id, is_archived)
  values ($1, $2, $3, $4, $5, $6, $7, $9, ${copiedFromAgent})
  on conflict (tenant_id, agent_id) do update set window_start = excluded.window_start, window_end = excluded.window_end,
    actions_seen = excluded.actions_seen, actions_mediated = excluded.actions_mediated,
    unmediated_seen = excluded.unmediated_seen, reported_at = excluded.reported_at
  where v.window_end is null or (excluded.window_end, excluded.window_start) >= (v.window_end, v.window_start)`

/** Stores the execution stats of one reporting window. A second report for the same agent and window replaces the first. */
export async function storeStats(tx: Tx, stats: ExecutionStats, now: string): Promise<void> {
  const { agent_id, window_start, window_end, actions_seen, actions_mediated, unmediated_seen, by_effect } = stats
  const counts = [actions_seen, actions_mediated, unmediated_seen, by_effect ? JSON.stringify(by_effect) : null]
  await tx.all(raw(upsertStats, [tx.tenantId, agent_id, window_start, window_end, ...counts, now]))
}
