/** Heartbeats are no events, so pages that show many of them ask for them at this interval. */
export const heartbeatsMs = 15_000

/** Reads a query again at this interval, once it has data. A read that the server refused is not repeated. */
export const withHeartbeats = {
  refetchInterval: ({ state }: { state: { data: unknown } }) => state.data !== undefined && heartbeatsMs,
}
