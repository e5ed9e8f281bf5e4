import { reportEndpoints as endpoints, type Report } from '@mandate/contract/reports/reports'
import { htmlType } from '../../http/answers/html.ts'
import { prefersHtml } from '../../http/input/prefers-html.ts'
import { type Attempts, Content, on, Reply } from '../../http/routes/route.ts'
import type { SigningKey } from '../../security/signing-key.ts'
import type { Services } from '../../services.ts'
import { deleteReport } from './delete-report.ts'
import { createReport, refuseBadPlacement } from './make/create-report.ts'
import { findReport } from './queries.ts'
import { proveReport } from './read/prove-report.ts'
import { getReport, listReports } from './read/read-reports.ts'
import { readSharedReport } from './read/read-shared-report.ts'
import { type Printable, pageHeaders, renderReport, renderUnready } from './read/report-page.ts'
import { requireSharable, revokeShareLink, shareReport } from './read/share-report.ts'

/**
 * Each look-up of a token costs a database query, so requests are limited. The limit need not stop guessing, because a token is
 * too long to guess.
 */
const sharedReads: Attempts = { name: 'shared-report', limit: 120, windowSeconds: 60 }
const unlisted = { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex, nofollow' }

export const reportRoutes = [
  on(endpoints.createReport, (ctx, { body }) => createReport(ctx, body), {
    beforeBadBody: async (ctx, _params, rawBody) => refuseBadPlacement(ctx.actor, rawBody),
  }),
  on(endpoints.listReports, (ctx, { query }) => listReports(ctx, query)),
  on(endpoints.getReport, async (ctx, { params, query, headers }) =>
    asAccepted(ctx.services, await getReport(ctx, params.report_id, query.include), headers.accept),
  ),
  on(endpoints.deleteReport, (ctx, { params }) => deleteReport(ctx, params.report_id)),
  on(endpoints.shareReport, (ctx, { params, body }) => shareReport(ctx, params.report_id, body), {
    beforeBadBody: (ctx, params) => requireSharable(ctx.sql, ctx.actor, params.report_id, findReport),
  }),
  on(endpoints.revokeShareLink, (ctx, { params }) => revokeShareLink(ctx, params.report_id, params.link_id)),
  on(
    endpoints.readSharedReport,
    async (ctx, { params, headers }) =>
      asAccepted(ctx.services, await readSharedReport(ctx, params.token), headers.accept, unlisted),
    { attempts: sharedReads },
  ),
]

function asAccepted<R extends Printable | Report>(
  { signingKey }: Pick<Services, 'signingKey'>,
  report: R,
  accept: string | undefined,
  more: Record<string, string> = {},
) {
  const headers = { vary: 'Accept', ...more }
  if (!prefersHtml(accept)) return new Reply(report, { headers })
  const { snapshot } = report
  const page = snapshot ? pageOf({ ...report, snapshot }, signingKey) : renderUnready(report as Report)
  return new Content(page, htmlType, { headers: { ...headers, ...pageHeaders } })
}

const pageOf = (report: Printable, signingKey: SigningKey) => renderReport(report, proveReport(report, signingKey))
