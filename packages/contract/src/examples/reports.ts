import type { ReportSnapshot } from '../reports/report-snapshot.ts'
import type { Report, ReportSummary } from '../reports/reports.ts'
import type { Examples } from './example.ts'
import { hash, ids, listOf } from './ids.ts'

const approved = { policy_id: ids.policy, version: 2, content_hash: hash }

const ada = { user_id: ids.user, display_name: 'Ada Lovelace', email: 'ada@example.com' }

const snapshot: ReportSnapshot = {
  organization: 'Analytical Engines',
  environment: { id: ids.development, name: 'Development', slug: 'development', is_production: false },
  made_by: ada,
  period: { from: '2026-02-01T00:00:00.000Z', to: '2026-03-02T09:00:00.000Z' },
  counts: {
    agents: 1,
    policies: 1,
    approvals: 1,
    drift: 1,
    coverage: { covered: 1 },
    findings: 1,
    decisions: { allow: 412, deny: 3, require_approval: 7 },
    events: 1,
  },
  agents: [
    {
      id: ids.agent,
      name: 'Invoice reader',
      status: 'active',
      source: 'runtime',
      governance_state: 'governed',
      governance_mode: 'enforce',
      lifecycle_status: 'approved',
      environment_id: ids.development,
      policy: { id: ids.policy, name: 'Files', version: 3 },
      owner: ada,
      last_heartbeat_at: '2026-03-02T08:05:30.000Z',
    },
  ],
  policies: [
    {
      id: ids.policy,
      name: 'Files',
      environment_id: ids.development,
      override_mode: 'enforce',
      default_effect: 'deny',
      version: 3,
      content_hash: 'e'.repeat(64),
      rules: 1,
      saved_by: ada,
      saved_at: '2026-03-01T09:30:00.000Z',
    },
  ],
  approvals: [
    {
      agent_id: ids.agent,
      agent_name: 'Invoice reader',
      lifecycle_status: 'approved',
      approved,
      review: {
        id: ids.review,
        kind: 'onboarding',
        status: 'approved',
        resolved_at: '2026-02-02T10:00:00.000Z',
        reviewer: ada,
        comment: 'Reads invoices only.',
      },
    },
  ],
  drift: [
    {
      agent_id: ids.agent,
      agent_name: 'Invoice reader',
      approved,
      running: { policy_id: ids.policy, version: 3, content_hash: 'e'.repeat(64) },
    },
  ],
  coverage: [{ agent_id: ids.agent, agent_name: 'Invoice reader', state: 'covered' }],
  findings: [
    {
      id: ids.finding,
      agent_id: ids.agent,
      agent_name: 'Invoice reader',
      type: 'policy_drift_unapproved',
      severity: 'medium',
      remediation: "Approve the change review, or restore the approved version from the policy's history.",
      opened_at: '2026-03-01T10:00:00.000Z',
    },
  ],
  decisions: [{ agent_id: ids.agent, agent_name: 'Invoice reader', allow: 412, deny: 3, require_approval: 7 }],
  events: [
    {
      id: ids.auditEntry,
      at: '2026-02-02T10:00:00.000Z',
      event_type: 'review.resolved',
      summary: 'approved the onboarding review',
      by: ada,
      agent_id: ids.agent,
      agent_name: 'Invoice reader',
      policy: approved,
      comment: 'Reads invoices only.',
    },
  ],
}

const summary: ReportSummary = {
  id: ids.report,
  tenant_id: ids.tenant,
  environment_id: ids.development,
  title: 'Quarterly report',
  generated_by: ids.user,
  created_at: '2026-03-02T09:00:00.000Z',
  status: 'ready',
  progress: 1,
}

const report: Report = { ...summary, share_links: [], snapshot }

const shareLink = {
  id: ids.shareLink,
  created_at: '2026-03-02T09:05:00.000Z',
  expires_at: '2999-01-01T00:00:00.000Z',
  revoked_at: null,
}

export const reportExamples: Examples = {
  createReport: {
    request: { environment_id: ids.development, title: 'Quarterly report', from: '2026-02-01', to: '2026-03-02' },
    response: report,
  },
  listReports: { response: listOf(summary) },
  getReport: { response: { ...report, share_links: [shareLink] } },
  shareReport: {
    request: { expires_at: '2999-01-01T00:00:00.000Z' },
    response: { id: ids.shareLink, url: 'https://mandate.example.com/api/v1/shared/reports/the-token-of-the-link' },
  },
  readSharedReport: { response: { title: summary.title, created_at: summary.created_at, snapshot } },
}
