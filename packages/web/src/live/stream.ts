import { events, type StreamedEvent } from '@mandate/sdk'
import { client } from '../api/client.ts'
import { makeStale, readAgain } from '../api/queries.ts'
import { sessionEnd } from '../api/session-end.ts'
import { changedReads, everyRead } from './changed-reads.ts'
import { GatheredReads } from './gathered-reads.ts'
import { isTooEarly, markStale } from './reads-of-events.ts'

export type LiveState =
  | { is: 'connecting' | 'live' }
  | { is: 'lost'; since: number }
  | { is: 'caught up'; changes: number }

interface Published {
  state: LiveState
  /** True if the stream starts without a position, so what happened before it is not known. */
  isFirst?: boolean
}
type Message = { event: StreamedEvent } | Published | { question: 'state' }

/** After this time, a stream that the server refused is tried again. */
const refusedMs = 30_000
/** A new stream opens within this time after the last one has ended. Until then the page counts as live. */
const reopenMs = 2_000
/** If no stream opens within this time, the connection counts as lost. A proxy may answer late, or hold the answer back. */
const openMs = 10_000

const lockName = 'mandate event stream'
const channel = new BroadcastChannel('mandate events')
const stateListeners = new Set<() => void>()
const eventListeners = new Set<(event: StreamedEvent) => void>()
let state: LiveState = { is: 'connecting' }
let retryNow = () => {}
/** The last event that this tab knows. All tabs keep it, because each may become the one that reads the stream. */
let lastEventId: string | undefined
const reads: GatheredReads = new GatheredReads((operations) => {
  // Nobody looks at the page. It is read again when it is shown.
  if (document.hidden) return void markStale(operations)
  const early = operations.filter(isTooEarly)
  reads.add(early)
  void readAgain(...operations.filter((operation) => !early.includes(operation)))
})

/** Calls `listener` for each event that this browser gets. Returns a function that ends this. */
export function onEvent(listener: (event: StreamedEvent) => void): () => void {
  eventListeners.add(listener)
  return () => eventListeners.delete(listener)
}

/** The state of the stream, for `useSyncExternalStore`. */
export const liveState = {
  read: () => state,
  listen(listener: () => void) {
    stateListeners.add(listener)
    return () => stateListeners.delete(listener)
  },
}

/** Reads again what events would make stale. A long list is read again less often. */
export const readChanges = () => reads.add(everyRead)

/** Connects again at once, without the rest of the wait. */
export const tryNow = () => retryNow()

/**
 * Receives events until the signal is aborted. All tabs of a browser share one stream: the tab that has the lock reads it and tells the
 * others. If this tab is closed, the next one takes the lock.
 */
export function startLive(signal: AbortSignal): void {
  const receive = ({ data }: MessageEvent<Message>) => {
    if ('event' in data) take(data.event)
    else if ('state' in data) show(data)
  }
  channel.addEventListener('message', receive)
  signal.addEventListener('abort', () => channel.removeEventListener('message', receive))
  channel.postMessage({ question: 'state' } satisfies Message)
  // Browsers have locks only over https. Without them, each tab reads a stream of its own.
  const { locks } = navigator as { locks?: LockManager }
  const reading = locks ? locks.request(lockName, { signal }, () => readStream(signal)) : readStream(signal)
  reading.catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

async function readStream(signal: AbortSignal): Promise<void> {
  const answer = ({ data }: MessageEvent<Message>) => {
    if ('question' in data) channel.postMessage({ state } satisfies Message)
  }
  channel.addEventListener('message', answer)
  const publish = (state: LiveState, isFirst = false) => {
    show({ state, isFirst })
    channel.postMessage({ state, isFirst } satisfies Message)
  }
  let timers: ReturnType<typeof setTimeout>[] = []
  const stopTimers = () => timers.forEach(clearTimeout)
  const lose = () => {
    stopTimers()
    publish({ is: 'lost', since: state.is === 'lost' ? state.since : Date.now() })
  }
  const awaitOpen = () => {
    stopTimers()
    if (state.is === 'lost') return
    const late = setTimeout(() => {
      // Otherwise the stream waits until the person has signed in again.
      if (!sessionEnd.read()) lose()
    }, openMs)
    timers = [setTimeout(() => publish({ is: 'connecting' }), reopenMs), late]
  }
  window.addEventListener('online', tryNow, { signal })
  try {
    for (;;) {
      const attempt = new AbortController()
      const stop = AbortSignal.any([signal, attempt.signal])
      retryNow = () => attempt.abort()
      let isFirst = lastEventId === undefined
      awaitOpen()
      const options = {
        signal: stop,
        ...(lastEventId !== undefined && { lastEventId }),
        onOpen: () => {
          stopTimers()
          publish({ is: 'live' }, isFirst)
          isFirst = false
        },
        // The server ends a stream when its access token expires. The client reconnects with a new token; that is no lost connection.
        onClose: ({ error }: { error: unknown }) => (error === undefined ? awaitOpen() : lose()),
      }
      try {
        for await (const event of events(client, options)) {
          take(event)
          channel.postMessage({ event } satisfies Message)
          if (event.type === 'resumed' && event.events) publish({ is: 'caught up', changes: event.events })
        }
      } catch {
        signal.throwIfAborted()
        // *Try now* ends a connection too. Otherwise the server refused the stream, and may accept it later.
        if (!attempt.signal.aborted) {
          lose()
          await pause(refusedMs, stop)
          signal.throwIfAborted()
        }
      }
    }
  } finally {
    stopTimers()
    channel.removeEventListener('message', answer)
  }
}

/** Waits until the time is over or the signal is aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => resolve())
  })
}

function show({ state: next, isFirst = false }: Published): void {
  // While the connection was lost, reads failed and data without events became old.
  if (state.is === 'lost' && next.is !== 'lost') void makeStale()
  // The page may have been read before the stream began, and what happened in between is no event of it.
  else if (isFirst) readChanges()
  state = next
  for (const listener of stateListeners) listener()
}

function take(event: StreamedEvent): void {
  if (event.id) lastEventId = event.id
  for (const listener of eventListeners) listener(event)
  reads.add(changedReads(event))
}
