/** Heartbeats are no events, so pages that show many of them ask for them at this interval. */
export const heartbeatsMs = 15_000
