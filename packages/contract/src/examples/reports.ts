import type { Report, ReportSnapshot, ReportSummary } from '../reports.ts'
import type { Examples } from './example.ts'
import { hash, ids, listOf } from './ids.ts'

const approved = { policy_id: ids.policy, version: 2, content_hash: hash }

const snapshot: ReportSnapshot = {
  organization: 'Analytical Engines',
  environment: { id: ids.development, name: 'Development', slug: 'development', is_production: false },
  counts: { agents: 1, policies: 1, approvals: 1, drift: 1, coverage: { covered: 1 }, findings: 1 },
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
    },
  ],
  approvals: [
    {
      agent_id: ids.agent,
      agent_name: 'Invoice reader',
      lifecycle_status: 'approved',
      approved,
      review: { id: ids.review, kind: 'onboarding', status: 'approved', resolved_at: '2026-02-02T10:00:00.000Z' },
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
  createReport: { request: { environment_id: ids.development, title: 'Quarterly report' }, response: report },
  listReports: { response: listOf(summary) },
  getReport: { response: { ...report, share_links: [shareLink] } },
  shareReport: {
    request: { expires_at: '2999-01-01T00:00:00.000Z' },
    response: { id: ids.shareLink, url: 'https://mandate.example.com/api/v1/shared/reports/the-token-of-the-link' },
  },
  readSharedReport: { response: { title: summary.title, created_at: summary.created_at, snapshot } },
}
