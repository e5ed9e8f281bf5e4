import { z } from 'zod'
import { anyone, member, viewer } from '../endpoint/access.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import { includeMayNames } from '../endpoint/names.ts'
import { date, limit, name, offset, oneOf, page, timestamp, uuid } from '../fields/fields.ts'
import { createdAt, mayFields, tenantId } from '../fields/shared-fields.ts'
import { ReportSnapshot } from './report-snapshot.ts'

/** Maximum number of days of a report's period. */
export const maxReportDays = 366

const ShareLink = z.object({
  id: uuid.describe('Id of the share link.'),
  created_at: createdAt,
  expires_at: timestamp.nullable().describe('From this time the link is 404. Null for a link that does not expire.'),
  revoked_at: timestamp.nullable().describe('When the link was revoked. Null unless it was revoked.'),
})

const reportFields = {
  id: uuid.describe('Id of the report.'),
  tenant_id: tenantId,
  environment_id: uuid.nullable().describe('Environment of the report. Null for a report of the organization.'),
  title: z.string().describe('Title of the report, at most 200 characters.'),
  generated_by: uuid.nullable().describe('Id of the user who generated the report. Null after that user was removed.'),
  created_at: createdAt,
  status: oneOf(['running', 'ready', 'failed']).describe(
    '`running` while a job makes the report, then `ready` or `failed`. A small report is `ready` at once.',
  ),
  progress: z.number().describe('Part of the report that is done, from 0 to 1.'),
  failure: z.string().optional().describe('Why the report could not be made. Only in a failed one.'),
  ...mayFields,
}

export const ReportSummary = z
  .object(reportFields)
  .meta({ id: 'ReportSummary', description: 'A compliance report without its snapshot.' })
export type ReportSummary = z.output<typeof ReportSummary>

export const Report = z
  .object({
    ...reportFields,
    deleted_at: timestamp
      .optional()
      .describe('When the report was taken from the list. Absent while it is in the list.'),
    share_links: z.array(ShareLink).describe('Share links of the report, revoked ones too.'),
    snapshot: ReportSnapshot.nullable().describe(
      'What was true when the report was made. Null until the report is ready.',
    ),
  })
  .meta({
    id: 'Report',
    description:
      'A compliance report: what was true of agents and policies at one moment, and what happened in a period before it.',
  })
export type Report = z.output<typeof Report>

export const SharedReport = z
  .object({
    title: z.string().describe('Title of the report.'),
    created_at: createdAt,
    snapshot: ReportSnapshot.describe('What was true when the report was made.'),
  })
  .meta({ id: 'SharedReport', description: 'A compliance report as a share link shows it.' })
export type SharedReport = z.output<typeof SharedReport>

export const NewReport = z.object({
  environment_id: uuid
    .nullable()
    .optional()
    .describe(
      'Environment to report on. Null or left out: the whole organization. A key that is bound to an environment reports on that one.',
    ),
  title: name({ max: 200 })
    .optional()
    .describe(
      'Title of the report, trimmed, 1 to 200 characters. Without it the title names the environment or the organization.',
    ),
  from: date
    .optional()
    .describe(
      `First day of the period, in UTC; 29 days before \`to\` if it is left out. At most ${maxReportDays} days.`,
    ),
  to: date.optional().describe('Last day of the period, in UTC, not after today; today if it is left out.'),
})
export type NewReport = z.output<typeof NewReport>

const params = z.object({ report_id: uuid.describe('Id of the report.') })
const tag = 'Reports'

export const reportEndpoints = {
  createReport: endpoint({
    method: 'POST',
    path: '/reports',
    tag,
    summary: 'Generate a compliance report',
    description:
      'The report has what its creator sees: the state of this moment, and what happened in the period. Up to 500 agents, 500 policies and 92 days: 201 with the snapshot. More: 202, and a job makes the report; read it by its id until `status` is `ready`. An organization has at most 5 running reports (409). A report of the organization needs the access scope `all`.',
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
    summary: 'List compliance reports, newest first',
    description: 'Reports that were deleted from the list are left out. Snapshots are in the single report.',
    access: viewer,
    query: z.object({ limit: limit(), offset, include: includeMayNames }),
    answers: { 200: page(ReportSummary) },
    errors: [400],
  }),
  getReport: endpoint({
    method: 'GET',
    path: '/reports/{report_id}',
    tag,
    summary: 'Read a compliance report',
    description:
      'JSON, or a printable page for `Accept: text/html`. The page of a report that is not ready says so. A report that was deleted from the list can still be read by its id.',
    access: viewer,
    params,
    query: z.object({ include: includeMayNames }),
    produces: ['application/json', 'text/html'],
    answers: { 200: Report },
    errors: [400, 404],
  }),
  deleteReport: endpoint({
    method: 'DELETE',
    path: '/reports/{report_id}',
    tag,
    summary: 'Delete a report from the list',
    description:
      'The report is kept, and its share links keep working. For managers, owners and the user who generated it.',
    access: member,
    params,
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  shareReport: endpoint({
    method: 'POST',
    path: '/reports/{report_id}/share-links',
    tag,
    summary: 'Create a share link',
    description:
      'Everyone with the link can read the report without an account. The address is in this answer and cannot be read again. For callers who may delete the report and see everything in it. 409 until the report is ready.',
    access: member,
    liveSession: true,
    params,
    body: z.object({
      expires_at: timestamp
        .optional()
        .describe('From this time the link is 404. It must be in the future. Without it the link does not expire.'),
    }),
    bodyOptional: true,
    answers: {
      201: z.object({
        id: uuid.describe('Id of the share link, to revoke it.'),
        url: z.string().describe('Address of the shared report. It is shown once.'),
      }),
    },
    errors: [400, 403, 404, 409],
  }),
  revokeShareLink: endpoint({
    method: 'DELETE',
    path: '/reports/{report_id}/share-links/{link_id}',
    tag,
    summary: 'Revoke a share link',
    description: 'The link is 404 from now on.',
    access: member,
    params: params.extend({ link_id: uuid.describe('Id of the share link.') }),
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  readSharedReport: endpoint({
    method: 'GET',
    path: '/shared/reports/{token}',
    tag,
    summary: 'Read a shared report',
    description:
      'JSON, or a printable page for `Accept: text/html`. A link that is unknown, expired or revoked is 404.',
    access: anyone,
    // 4096 is the maximum length of a path parameter. The server's router answers 404 if a path parameter is longer.
    params: z.object({
      token: z.string().max(4096).describe('Token of the share link, the last part of its address.'),
    }),
    produces: ['application/json', 'text/html'],
    answers: { 200: SharedReport },
    errors: [404],
  }),
}
