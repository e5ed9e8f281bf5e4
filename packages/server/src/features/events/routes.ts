import { eventEndpoints as endpoints } from '@mandate/contract/events'
import { Content, on, type Route } from '../../http/routes/route.ts'
import { streamEvents } from './stream-events.ts'

// A proxy that buffers or compresses the response would delay events.
const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' }

export const eventRoutes: readonly Route[] = [
  on(endpoints.streamEvents, async (ctx, { query: { types, decisions }, headers: sent }) => {
    const stream = await streamEvents(ctx, { types, decisions }, sent['last-event-id'])
    return new Content(stream, 'text/event-stream; charset=utf-8', { headers })
  }),
]
