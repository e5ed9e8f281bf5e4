import type { ReportSnapshot } from '@mandate/contract/reports/report-snapshot'
import type { Member } from '../../../authz/actor.ts'
import { boundEnvironment } from '../../../authz/can.ts'

const lists = ['agents', 'policies', 'approvals', 'drift', 'coverage', 'findings', 'decisions', 'events'] as const

/**
 * Removes what the reader may not see: a scoped user sees the agents granted to them, and an environment-bound key sees the
 * policies of its environment. The counts are those of the remaining entries.
 */
export function narrowSnapshot(
  actor: Member,
  snapshot: ReportSnapshot,
  grantedAgents: ReadonlySet<string>,
): ReportSnapshot {
  const bound = boundEnvironment(actor)
  const isSeen = (agentId: string) => actor.accessScope === 'all' || grantedAgents.has(agentId)
  const ofSeen = <T extends { agent_id: string }>(rows: T[]) => rows.filter((row) => isSeen(row.agent_id))
  const left: ReportSnapshot = {
    ...snapshot,
    agents: snapshot.agents.filter(({ id }) => isSeen(id)),
    policies: snapshot.policies.filter((policy) => bound === null || policy.environment_id === bound),
    approvals: ofSeen(snapshot.approvals),
    drift: ofSeen(snapshot.drift),
    coverage: ofSeen(snapshot.coverage),
    findings: ofSeen(snapshot.findings),
    // Reports of earlier versions do not have these lists.
    ...(snapshot.decisions && { decisions: ofSeen(snapshot.decisions) }),
    ...(snapshot.events && { events: ofSeen(snapshot.events) }),
  }
  return hasAllEntries(left, snapshot) ? snapshot : { ...left, counts: recount(left) }
}

/** True if narrowing removed nothing. */
export function hasAllEntries(left: ReportSnapshot, whole: ReportSnapshot): boolean {
  return lists.every((name) => left[name]?.length === whole[name]?.length)
}

function recount(snapshot: ReportSnapshot): ReportSnapshot['counts'] {
  const coverage: Record<string, number> = {}
  for (const { state } of snapshot.coverage) coverage[state] = (coverage[state] ?? 0) + 1
  return {
    agents: snapshot.agents.length,
    policies: snapshot.policies.length,
    approvals: snapshot.approvals.length,
    drift: snapshot.drift.length,
    coverage,
    findings: snapshot.findings.length,
    ...(snapshot.decisions && { decisions: sumOf(snapshot.decisions) }),
    ...(snapshot.events && { events: snapshot.events.length }),
  }
}

function sumOf(rows: NonNullable<ReportSnapshot['decisions']>): NonNullable<ReportSnapshot['counts']['decisions']> {
  const sum = (effect: 'allow' | 'deny' | 'require_approval') => rows.reduce((total, row) => total + row[effect], 0)
  return { allow: sum('allow'), deny: sum('deny'), require_approval: sum('require_approval') }
}
