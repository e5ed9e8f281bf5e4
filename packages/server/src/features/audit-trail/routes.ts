import { Readable } from 'node:stream'
import { auditEndpoints as endpoints, readHead } from '@mandate/contract/audit/audit'
import { verifyTrail } from '../../audit/verify-trail.ts'
import { Content, on, RawJson, type Route } from '../../http/routes/route.ts'
import { exportEntries } from './export-entries.ts'
import { getProof } from './get-proof.ts'
import { listEntries } from './list-entries.ts'
import { startVerification } from './start-verification.ts'

const headers = { 'content-disposition': 'attachment; filename="audit.ndjson"' }

export const auditTrailRoutes: readonly Route[] = [
  on(endpoints.listAuditEntries, async (ctx, { query }) => new RawJson(await listEntries(ctx, query))),
  on(endpoints.exportAuditEntries, async (ctx, { query }) => {
    return new Content(Readable.from(exportEntries(ctx, query)), 'application/x-ndjson; charset=utf-8', { headers })
  }),
  on(endpoints.getAuditProof, (ctx) => getProof(ctx)),
  on(endpoints.startAuditVerification, (ctx) => startVerification(ctx)),
  on(endpoints.verifyAuditTrail, ({ services, actor, now }, { query: { through } }) =>
    verifyTrail(services, actor.tenantId, now, through === undefined ? undefined : readHead(through)),
  ),
]
