import type { Attestation, Decision, ExecutionStats } from '@mandate/contract/edge'
import type { Sql, Tx } from '../../db/database.ts'
import { raw } from '../../db/statement.ts'

/**
 * The agents for which a credential is valid (see `servedBy`). If it is valid for one agent, only `agentId` is set. If it is
 * valid for all agents of an environment, only `environmentId` is set. The field that is not set is null.
 */
export interface Reach {
  agentId: string | null
  environmentId: string | null
}

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
  insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at)
  values ($1, $2, $3, $4, $5, $6, $7)
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
    unmediated_seen, reported_at)
  values ($1, $2, $3, $4, $5, $6, $7, $9)
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

// Sorted, so that two requests with the same decisions lock them in the same order and cannot deadlock.
const insertDecisions = `
  with kept as (
    insert into decisions (tenant_id, decision_id, agent_id, tool, effect, mode, rule_id, policy_version, args_digest, at,
      received_at)
    select $1, d.decision_id, d.agent_id, d.tool, d.effect, d.mode, d.rule_id, d.policy_version, d.args_digest, d.at, $2
    from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::uuid[], $9::int[], $10::text[],
      $11::timestamptz[]) as d (decision_id, agent_id, tool, effect, mode, rule_id, policy_version, args_digest, at)
    order by d.decision_id
    on conflict (tenant_id, decision_id) do nothing
    returning 1
  )
  select count(*) as accepted from kept`

/** Returns how many decisions were new. */
export async function storeDecisions(tx: Tx, decisions: readonly Decision[], now: string): Promise<number> {
  const column = <K extends keyof Decision>(name: K) => decisions.map((decision) => decision[name] ?? null)
  const { accepted } = await tx.one(
    raw<{ accepted: number }>(insertDecisions, [
      tx.tenantId,
      now,
      column('decision_id'),
      column('agent_id'),
      column('tool'),
      column('effect'),
      column('mode'),
      column('rule_id'),
      column('policy_version'),
      column('args_digest'),
      column('at'),
    ]),
  )
  return accepted
}
