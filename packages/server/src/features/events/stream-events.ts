import type { Readable } from 'node:stream'
import { mostStreamsOfCaller, mostStreamsOfTenant } from '@mandate/contract/events'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { EventHub } from '../../events/event-hub.ts'
import type { EventPosition, EventRow } from '../../events/event-row.ts'
import { tooMany } from '../../refusal.ts'
import type { Services } from '../../services.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { recentlyConfirmed } from '../freezes/confirmations/recently-confirmed.ts'
import { sendMissed } from './stored/send-missed.ts'
import { EventStream, type StreamOptions } from './stream/event-stream.ts'
import { keepListening } from './stream/keep-listening.ts'
import { eventText } from './stream/stream-event.ts'
import { positionAfter, sealPosition } from './stream/stream-position.ts'
import { TenantStreams } from './tenant-streams.ts'

/** The open streams of an instance, by tenant. `open` counts streams that are being opened too. */
interface Streams {
  byTenant: Map<string, { open: number; byCaller: Map<string, number>; streams: Promise<TenantStreams> | undefined }>
}

const ofInstance = new WeakMap<EventHub, Streams>()
const retryAfterSeconds = 30

/**
 * Opens a stream of the events that the caller may see. It is gap-free: it has each event that is committed after this function resolves, and
 * with `lastEventId` also those since that event.
 * @throws 404 for `decisions` of an agent that the caller does not see, 429 for too many open streams
 */
export async function streamEvents(
  ctx: Ctx<Member>,
  options: StreamOptions,
  lastEventId: string | undefined,
): Promise<Readable> {
  const { services, actor } = ctx
  if (options.decisions !== undefined && options.decisions !== 'all') {
    await requireAgent(ctx.sql, actor, options.decisions)
  }
  const release = reserve(services, actor)
  let stream: EventStream | undefined
  try {
    if (options.decisions !== undefined) await keepListening(services.db, actor.tenantId)
    const group = await groupOf(services, actor.tenantId)
    const onClosed = () => {
      group.streams.delete(opened)
      release()
    }
    const opened = new EventStream(actor, options, { metrics: services.metrics.streams.events, onClosed })
    stream = opened
    opened.hold()
    const position = await group.add(opened)
    void begin(ctx, opened, { group, position, lastEventId }).catch((error) => {
      services.log.debug({ err: error, request_id: ctx.request.id }, 'missed events could not be sent; the stream ends')
      opened.response.destroy()
    })
    return opened.response
  } catch (error) {
    stream?.response.destroy()
    release()
    throw error
  }
}

interface Beginning {
  group: TenantStreams
  /** The position from which the stream gets all events by itself. */
  position: EventPosition
  lastEventId: string | undefined
}

/** Sends the beginning of the stream: its position, and what the client missed. */
async function begin(
  { services, actor: { tenantId }, sql }: Ctx<Member>,
  stream: EventStream,
  { group, position, lastEventId }: Beginning,
): Promise<void> {
  const id = sealPosition(services.vault, tenantId, { ...position, at: Date.now() })
  if (lastEventId === undefined) {
    await stream.sendMissed(`: connected\nid: ${id}\n\n`)
  } else {
    const since = await positionAfter(sql, services.vault, lastEventId)
    const onConfirmations = (row: EventRow) => group.confirmations.add(stream, row)
    const missed = { tenantId, lastEventId, until: position.snapshot, onConfirmations }
    const isResumed = since && (await sendMissed(services, stream, { ...missed, since }))
    if (isResumed) group.confirmations.addProgress(stream, await recentlyConfirmed(sql, stream.actor), id)
    else await stream.sendMissed(eventText('reset', id, { id, type: 'reset' }), 1)
  }
  stream.release()
}

function streamsOf(services: Services, tenantId: string) {
  const { byTenant } = ofInstance.get(services.events) ?? { byTenant: new Map() as Streams['byTenant'] }
  ofInstance.set(services.events, { byTenant })
  const own = byTenant.get(tenantId) ?? { open: 0, byCaller: new Map(), streams: undefined }
  byTenant.set(tenantId, own)
  return { byTenant, own }
}

/** Counts a stream before it is opened. Returns a function that gives its place back, once. */
function reserve(services: Services, actor: Member): () => void {
  const { tenantId } = actor
  const { byTenant, own } = streamsOf(services, tenantId)
  const caller = actor.key ? `key ${actor.key.id}` : `person ${actor.userId}`
  const count = own.byCaller.get(caller) ?? 0
  if (count >= mostStreamsOfCaller || own.open >= mostStreamsOfTenant) {
    const whose = count >= mostStreamsOfCaller ? 'this caller' : 'this organization'
    throw tooMany(`too many open event streams of ${whose}`, retryAfterSeconds)
  }
  own.open++
  own.byCaller.set(caller, count + 1)
  let isReleased = false
  return () => {
    if (isReleased) return
    isReleased = true
    own.open--
    const left = (own.byCaller.get(caller) ?? 1) - 1
    if (left > 0) own.byCaller.set(caller, left)
    else own.byCaller.delete(caller)
    if (own.open > 0) return
    byTenant.delete(tenantId)
    void own.streams?.then((group) => group.close()).catch(() => {})
  }
}

function groupOf(services: Services, tenantId: string): Promise<TenantStreams> {
  const { own } = streamsOf(services, tenantId)
  own.streams ??= start(services, tenantId).catch((error) => {
    own.streams = undefined
    throw error
  })
  return own.streams
}

async function start(services: Services, tenantId: string): Promise<TenantStreams> {
  const group = new TenantStreams(services, tenantId)
  try {
    await group.start()
    return group
  } catch (error) {
    group.close()
    throw error
  }
}
