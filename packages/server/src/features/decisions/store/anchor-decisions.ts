import { type AuditSource, recordAudit } from '../../../audit/record-audit.ts'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Tx } from '../../../db/database.ts'
import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'
import type { Services } from '../../../services.ts'
import { bucketOf } from '../records/count-decisions.ts'
import { findUnanchored, lockEdgeKey, storeAnchor } from './edge-key-queries.ts'

/** Keys that one transaction anchors. */
const keysAtOnce = 100

interface ChainEnd {
  kid: string
  seq: number
  hash: string
}

/** Whether a chain needs no anchor today. The clock of another instance may be ahead, so its last anchor may be of tomorrow. */
export function isAnchored(anchoredDay: string | null, now: string): boolean {
  return anchoredDay !== null && anchoredDay >= bucketOf(now, 'day')
}

/** Records a hash of a chain in the audit trail, so that the chain cannot be rewritten later. `resource` is the edge or the agent. */
export async function anchor(
  tx: Tx,
  by: AuditSource,
  { kid, seq, hash }: ChainEnd,
  resource: { type: EdgeActor['kind']; id: string; name: string },
): Promise<void> {
  const details = { kid, seq, hash }
  const entryId = await recordAudit(tx, by, 'edge.decisions_anchored', { resource, details })
  await storeAnchor(tx, { kid, seq, hash, day: bucketOf(by.now, 'day'), entryId })
}

/** Anchors the chains whose last records have no anchor yet. A chain gets one anchor a day, in UTC. */
export async function anchorAll(services: Services, now: string): Promise<void> {
  for (const tenantId of await findTenantIds(services.db.global)) {
    let anchored: number
    do {
      anchored = await services.db.transaction(tenantId, (tx) => anchorSome(tx, services, now))
    } while (anchored === keysAtOnce)
  }
}

async function anchorSome(tx: Tx, services: Services, now: string): Promise<number> {
  const day = bucketOf(now, 'day')
  const request = { id: 'anchor_decisions', ip: '', userAgent: '' }
  const by: AuditSource = { actor: { kind: 'system', tenantId: tx.tenantId }, request, now, services }
  const found = await findUnanchored(tx, day, keysAtOnce)
  for (const { kid, ...resource } of found) {
    // A batch of the edge may have anchored the chain meanwhile.
    const key = await lockEdgeKey(tx, kid)
    if (key && !isAnchored(key.anchoredDay, now)) await anchor(tx, by, key, resource)
  }
  return found.length
}
