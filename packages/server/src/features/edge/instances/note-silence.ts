import type { Tx } from '../../../db/database.ts'
import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'
import { recordEvent } from '../../../events/record-event.ts'
import type { Services } from '../../../services.ts'
import type { Quiet } from '../reach/edge-list-queries.ts'
import { quietAt } from '../reach/quiet.ts'
import { hasNewSilence, type NotedEdge, storeReturned, storeSilent } from './silence-queries.ts'

/** Writes the events `edge.silent` and `edge.returned` of all tenants. A failure in one tenant does not stop the others. */
export async function noteSilenceOfAll(services: Services): Promise<void> {
  for (const tenantId of await findTenantIds(services.db.global)) {
    await noteSilence(services, tenantId).catch((error) =>
      services.log.warn({ err: error, tenant_id: tenantId }, 'could not check which edges of the tenant are silent'),
    )
  }
}

/** Writes the events `edge.silent` and `edge.returned` of one tenant, each once. Several instances may run it at the same time. */
export async function noteSilence(services: Services, tenantId: string): Promise<void> {
  const { db } = services
  const now = new Date().toISOString()
  const quiet = quietAt({ now, services })
  if (!(await hasNewSilence(db.reader(tenantId), quiet))) return
  await db.transaction(tenantId, (tx) => recordSilence(tx, quiet, now))
}

async function recordSilence(tx: Tx, quiet: Quiet, now: string): Promise<void> {
  const [silent, returned] = await Promise.all([storeSilent(tx, quiet, now), storeReturned(tx, quiet)])
  const record = (type: string, { id, environment_id }: NotedEdge) =>
    recordEvent(tx, { type, audience: 'edge', resource: { type: 'edge', id }, environmentId: environment_id, at: now })
  await Promise.all([
    ...silent.map((edge) => record('edge.silent', edge)),
    ...returned.map((edge) => record('edge.returned', edge)),
  ])
}
