import type { Overview } from '../overview.ts'
import type { Examples } from './example.ts'
import { ids } from './ids.ts'

const overview: Overview = {
  needs_me: { approvals: 2, reviews: 3 },
  findings: {
    policy_drift_unapproved: 1,
    coverage_gap: 3,
    evidence_stale: 0,
    unapproved_running: 0,
    approval_without_record: 0,
    decision_gap: 0,
    tool_definition_changed: 0,
  },
  findings_total: 4,
  freezes: [
    {
      id: ids.freeze,
      scope: 'environment',
      name: 'Development',
      agents: 212,
      created_by: ids.user,
      created_at: '2026-03-02T13:58:00.000Z',
    },
  ],
  agents: {
    total: 1284,
    by_governance_state: { discovered: 24, governed: 1257, suppressed: 3 },
    by_lifecycle_status: { proposed: 61, approved: 1196, blocked: 6, retired: 21 },
    by_execution_coverage_state: { unknown: 24, claimed: 38, observed: 0, covered: 1178, partial: 44, stale: 0 },
    drifting: 1,
    unapproved_running: 0,
    unknown_drift: 64,
    discovered: 24,
  },
  edges: { total: 48, silent: 1, instances: 52, instances_silent: 1 },
  decisions_24h: { allow: 42_118, deny: 143, require_approval: 37 },
  stop_reach: { kind: 'freeze', edges: 12, confirmed: 11, p50_ms: 8400, p99_ms: 19_200 },
  audit: { sealed_through: '2026-03-02T14:00:00.000Z', entries: 1_284_113 },
  as_of: '2026-03-02T14:00:01.000Z',
}

export const overviewExamples: Examples = { getOverview: { response: overview } }
