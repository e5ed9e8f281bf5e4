import { Readable } from 'node:stream'
import { auditEndpoints as endpoints, readHead } from '@mandate/contract/audit'
import { verifyTrail } from '../../audit/verify-trail.ts'
import { on, RawJson, Reply, type Route } from '../../http/route.ts'
import { exportEntries } from './export-entries.ts'
import { listEntries } from './list-entries.ts'

const exportHeaders = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'content-disposition': 'attachment; filename="audit.ndjson"',
}

export const auditTrailRoutes: readonly Route[] = [
  on(endpoints.listAuditEntries, async (ctx, { query }) => new RawJson(await listEntries(ctx, query))),
  on(endpoints.exportAuditEntries, async (ctx, { query }) => {
    return new Reply(Readable.from(exportEntries(ctx, query)), { headers: exportHeaders })
  }),
  on(endpoints.verifyAuditTrail, ({ services, actor, now }, { query: { through } }) =>
    verifyTrail(services, actor.tenantId, now, through === undefined ? undefined : readHead(through)),
  ),
]
