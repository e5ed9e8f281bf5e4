import { mostEdgeStreamsOfTenant, mostStreamsOfKey } from '@mandate/contract/edge-push'
import type { EdgeActor } from '../../authz/actor.ts'
import type { EventHub } from '../../events/event-hub.ts'
import { tooMany } from '../../refusal.ts'
import type { Services } from '../../services.ts'
import { TenantEdges } from './tenant-edges.ts'

/** The streams of one tenant on an instance. `open` counts streams that are being opened too. */
interface OpenStreams {
  open: number
  byKey: Map<string, number>
  edges: Promise<TenantEdges> | undefined
}

const ofInstance = new WeakMap<EventHub, Map<string, OpenStreams>>()
const retryAfterSeconds = 30

function tenantsOf({ events }: Pick<Services, 'events'>): Map<string, OpenStreams> {
  const tenants = ofInstance.get(events) ?? new Map<string, OpenStreams>()
  ofInstance.set(events, tenants)
  return tenants
}

/** Counts a stream before it is opened. Returns a function that gives its place back, once. */
export function reserveStream(services: Services, { tenantId, credentialId }: EdgeActor): () => void {
  const tenants = tenantsOf(services)
  const own = tenants.get(tenantId) ?? { open: 0, byKey: new Map(), edges: undefined }
  const count = own.byKey.get(credentialId) ?? 0
  if (count >= mostStreamsOfKey) throw tooMany('too many open streams of this key', retryAfterSeconds)
  if (own.open >= mostEdgeStreamsOfTenant)
    throw tooMany('too many open streams of edges of this organization', retryAfterSeconds)
  tenants.set(tenantId, own)
  own.open++
  own.byKey.set(credentialId, count + 1)
  let isReleased = false
  return () => {
    if (isReleased) return
    isReleased = true
    own.open--
    const left = (own.byKey.get(credentialId) ?? 1) - 1
    if (left > 0) own.byKey.set(credentialId, left)
    else own.byKey.delete(credentialId)
    if (own.open > 0) return
    if (tenants.get(tenantId) === own) tenants.delete(tenantId)
    void own.edges?.then((edges) => edges.close()).catch(() => {})
  }
}

/** Returns the streams of a tenant, after `reserveStream`. */
export function edgesOf(services: Services, tenantId: string): Promise<TenantEdges> {
  const own = tenantsOf(services).get(tenantId) as OpenStreams
  own.edges ??= start(services, tenantId).catch((error) => {
    own.edges = undefined
    throw error
  })
  return own.edges
}

/** Returns the streams of a tenant if this instance has any. */
export function openEdgesOf(services: Services, tenantId: string): Promise<TenantEdges> | undefined {
  return tenantsOf(services).get(tenantId)?.edges
}

async function start(services: Services, tenantId: string): Promise<TenantEdges> {
  const edges = new TenantEdges(services, tenantId)
  try {
    await edges.start()
    return edges
  } catch (error) {
    edges.close()
    throw error
  }
}
