import { eventEndpoints as endpoints } from '@mandate/contract/events'
import { eventStream, on, type Route } from '../../http/routes/route.ts'
import { streamEvents } from './stream-events.ts'

export const eventRoutes: readonly Route[] = [
  on(endpoints.streamEvents, async (ctx, { query: { types, decisions }, headers: sent }) => {
    const stream = await streamEvents(ctx, { types, decisions }, sent['last-event-id'])
    return eventStream(stream)
  }),
]
