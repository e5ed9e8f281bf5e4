import { z } from 'zod'
import { anyone, member, viewer } from './access.ts'
import { executionCoverageStates } from './agents.ts'
import { endpoint } from './endpoint.ts'
import { limit, name, offset, oneOf, page, timestamp, uuid } from './fields.ts'

const PolicyAt = z.object({ policy_id: uuid, version: z.int().nullable(), content_hash: z.string().nullable() })

/** How things stood when the report was made. `counts` are of everything; each list holds the newest 10,000 at most. */
export const ReportSnapshot = z
  .object({
    organization: z.string(),
    environment: z
      .object({ id: uuid, name: z.string(), slug: z.string(), is_production: z.boolean() })
      .nullable()
      .meta({ description: 'As it was then; null in a report of the whole organization.' }),
    counts: z.object({
      agents: z.int(),
      policies: z.int(),
      approvals: z.int(),
      drift: z.int(),
      coverage: z.record(z.string(), z.int()).meta({ description: 'Agents by state of execution coverage.' }),
      findings: z.int(),
    }),
    agents: z.array(
      z.object({
        id: uuid,
        name: z.string(),
        status: z.string(),
        source: z.string(),
        governance_state: z.string(),
        governance_mode: z.string().nullable(),
        lifecycle_status: z.string(),
        environment_id: uuid.nullable(),
        policy: z.object({ id: uuid, name: z.string(), version: z.int() }).nullable(),
        last_heartbeat_at: timestamp.nullable(),
      }),
    ),
    policies: z.array(
      z.object({
        id: uuid,
        name: z.string(),
        environment_id: uuid.nullable(),
        override_mode: z.string(),
        default_effect: z.string(),
        version: z.int(),
        content_hash: z.string(),
        rules: z.int(),
      }),
    ),
    approvals: z
      .array(
        z.object({
          agent_id: uuid,
          agent_name: z.string(),
          lifecycle_status: z.string(),
          approved: PolicyAt,
          review: z.object({ id: uuid, kind: z.string(), status: z.string(), resolved_at: timestamp }).nullable(),
        }),
      )
      .meta({ description: 'Agents with an approval of record, and the last review that approved or attested them.' }),
    drift: z.array(z.object({ agent_id: uuid, agent_name: z.string(), approved: PolicyAt, running: PolicyAt })).meta({
      description: 'Agents that run another version than the approved one. Missing is missing, and no drift.',
    }),
    coverage: z.array(z.object({ agent_id: uuid, agent_name: z.string(), state: oneOf(executionCoverageStates) })),
    findings: z
      .array(
        z.object({
          id: uuid,
          agent_id: uuid,
          agent_name: z.string(),
          type: z.string(),
          severity: z.string(),
          remediation: z.string(),
          opened_at: timestamp,
        }),
      )
      .meta({ description: 'Those open then.' }),
  })
  .meta({ id: 'ReportSnapshot' })
export type ReportSnapshot = z.output<typeof ReportSnapshot>

const ShareLink = z.object({
  id: uuid,
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
})

const reportFields = {
  id: uuid,
  tenant_id: uuid,
  environment_id: uuid.nullable().meta({ description: 'null: a report of the organization.' }),
  title: z.string(),
  generated_by: uuid.nullable().meta({ description: 'null once that user is gone.' }),
  created_at: timestamp,
  status: oneOf(['running', 'ready', 'failed']).meta({
    description: 'A report of many agents is made by a job: `running` until it is `ready` or `failed`.',
  }),
  progress: z.number().meta({ description: 'The share that is done, 0 to 1.' }),
  failure: z.string().optional().meta({ description: 'Why the report could not be made; only in a failed one.' }),
}

export const ReportSummary = z.object(reportFields).meta({ id: 'ReportSummary' })
export type ReportSummary = z.output<typeof ReportSummary>

export const Report = z
  .object({
    ...reportFields,
    deleted_at: timestamp.optional().meta({ description: 'Absent while the report is in the list.' }),
    share_links: z.array(ShareLink),
    snapshot: ReportSnapshot.nullable().meta({ description: 'null until the report is ready.' }),
  })
  .meta({ id: 'Report' })
export type Report = z.output<typeof Report>

export const SharedReport = z
  .object({ title: z.string(), created_at: timestamp, snapshot: ReportSnapshot })
  .meta({ id: 'SharedReport' })
export type SharedReport = z.output<typeof SharedReport>

export const NewReport = z.object({ environment_id: uuid.nullable().optional(), title: name({ max: 200 }).optional() })
export type NewReport = z.output<typeof NewReport>

const params = z.object({ report_id: uuid })
const tag = 'Reports'
const orPage = 'JSON, or a printable page for `Accept: text/html`.'

export const reportEndpoints = {
  createReport: endpoint({
    method: 'POST',
    path: '/reports',
    tag,
    summary: 'Generate a compliance report of an environment or of the organization',
    description:
      'Holds what its creator sees. Up to 500 agents and 500 policies: 201 with the snapshot. More: 202, and a job makes the report; read it by its id until `status` is `ready`. An organization has at most 5 reports in the making. A bound key that names no environment reports on its own; an organization-wide report takes access to the whole organization.',
    access: member,
    body: NewReport,
    bodyOptional: true,
    answers: { 201: Report, 202: Report },
    errors: [400, 403, 409],
  }),
  listReports: endpoint({
    method: 'GET',
    path: '/reports',
    tag,
    summary: 'List compliance reports, newest first, those deleted left out',
    access: viewer,
    query: z.object({ limit: limit(), offset }),
    answers: { 200: page(ReportSummary) },
    errors: [400],
  }),
  getReport: endpoint({
    method: 'GET',
    path: '/reports/{report_id}',
    tag,
    summary: 'Read a compliance report',
    description: `${orPage} The page of a report that is not ready says so. A report deleted from the list is still read by its id.`,
    access: viewer,
    params,
    produces: ['application/json', 'text/html'],
    answers: { 200: Report },
    errors: [400, 404],
  }),
  deleteReport: endpoint({
    method: 'DELETE',
    path: '/reports/{report_id}',
    tag,
    summary: 'Take a compliance report from the list',
    description: 'It stays kept, and its share links work on. For managers and owners, and for whoever generated it.',
    access: member,
    params,
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  shareReport: endpoint({
    method: 'POST',
    path: '/reports/{report_id}/share-links',
    tag,
    summary: 'Make a link that shows a compliance report to whoever has it',
    description:
      'The URL is in this answer and never again. For those who may delete the report and see all it holds. 409 until the report is ready.',
    access: member,
    liveSession: true,
    params,
    body: z.object({ expires_at: timestamp.optional() }),
    bodyOptional: true,
    answers: { 201: z.object({ id: uuid, url: z.string() }) },
    errors: [400, 403, 404, 409],
  }),
  revokeShareLink: endpoint({
    method: 'DELETE',
    path: '/reports/{report_id}/share-links/{link_id}',
    tag,
    summary: 'Revoke a share link',
    access: member,
    params: params.extend({ link_id: uuid }),
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  readSharedReport: endpoint({
    method: 'GET',
    path: '/shared/reports/{token}',
    tag,
    summary: 'Read a shared compliance report',
    description: `${orPage} A link that is unknown, expired or revoked is 404.`,
    access: anyone,
    // As long as a path parameter may be: a longer path is 404 before it.
    params: z.object({ token: z.string().max(4096) }),
    produces: ['application/json', 'text/html'],
    answers: { 200: SharedReport },
    errors: [404],
  }),
}
