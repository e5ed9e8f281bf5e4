import type { Client } from './client.ts'
import { MandateError } from './mandate-error.ts'
import type { Input, Schema } from './operation.ts'
import { pause } from './pause.ts'
import { EventParser, type ParsedBlock } from './stream/event-parser.ts'

/** An event of `GET /events/stream`. `resumed` and `reset` tell what became of the events since the last connection. */
export interface StreamedEvent {
  id: string
  type: string
  /** ISO 8601. Absent in `resumed` and `reset`. */
  at?: string
  resource?: { type: string; id: string }
  agent_id?: string
  environment_id?: string
  /** In `audit.recorded`: what the entry is about. */
  about?: { type: string; id: string }
  /** In `decision.recorded`. */
  decision?: Schema<'Decision'>
  /** In `decision.skipped`: the number of decisions that were not sent. */
  skipped?: number
  /** True in the events of a drill. */
  drill?: boolean
  /** In `freeze.confirmed`: the edge that confirmed. Null for an instance with the own key of an agent. */
  edge?: { id: string; name: string } | null
  /** In `freeze.confirmed`: the agent whose own key the instance uses. Null for an edge. */
  agent?: { id: string; name: string } | null
  /** In `freeze.confirmed`: the name of the running process. */
  instance_id?: string
  /** In `freeze.confirmed`: the time from the start of the freeze to the confirmation, in milliseconds. */
  after_ms?: number
  /** In `freeze.confirmed` and `freeze.progress`, as far as the caller sees it. Null if the freeze is over and the caller sees only a part of it. */
  confirmed?: number | null
  /** In `freeze.confirmed` and `freeze.progress`: the number of instances that have to confirm. */
  total?: number | null
  /** In `resumed`: the number of events that follow because they were missed. */
  events?: number
}

export interface EventOptions {
  /** Only events of these types. */
  types?: readonly string[]
  /** Also sends decisions: `all`, or the id of an agent. */
  decisions?: string
  /** The id of the last event that you have, to continue after it. */
  lastEventId?: string
  signal?: AbortSignal
  /** Called when the first bytes of a connection have arrived. The service sends some at once. A proxy may pass the headers and hold the rest back. */
  onOpen?: () => void
  /**
   * Called when a connection has ended, before the wait for the next one. `error` is undefined if the server ended it. If this throws, `events`
   * throws the same.
   */
  onClose?: (lost: { error: unknown; waitMs: number }) => void
}

/** The server sends something every 15 seconds. After this time without anything, the connection counts as lost. */
const silentMs = 45_000
const backoffMs = 500
const maxBackoffMs = 30_000

/**
 * Reads events until the signal is aborted. It connects again when a connection ends, and continues after the last event, so no event is lost. An
 * event may come twice. After `reset`, events may be missing: read again what you show.
 * @throws MandateError if the service refuses the stream, such as 401, 403 or 404, or if the first answer is not an event stream
 * @throws what the credential of the client throws, except a MandateError without an answer, for which it connects again
 * @throws the signal's reason if the signal is aborted
 */
export async function* events(client: Client, options: EventOptions = {}): AsyncGenerator<StreamedEvent, void> {
  const { signal, onClose } = options
  let lastEventId = options.lastEventId
  for (let failures = 0, isFirst = true; ; isFirst = false) {
    let error: unknown
    let isAnswered = false
    const onAnswer = () => {
      isAnswered = true
    }
    try {
      for await (const block of connection(client, options, lastEventId, onAnswer)) {
        // A connection without an id before it is lost cannot continue.
        if (!isFirst && lastEventId === undefined) yield { id: block.id ?? '', type: 'reset' }
        failures = 0
        if (block.data !== undefined) yield JSON.parse(block.data)
        if (block.id !== undefined) lastEventId = block.id
      }
    } catch (failure) {
      signal?.throwIfAborted()
      // Later, the page may be that of a proxy whose server is away.
      if (isRefusal(failure) || (isFirst && isUnreadable(failure))) throw failure
      // The client throws a MandateError for every connection that it cannot open. All else comes from its credential.
      if (!isAnswered && !(failure instanceof MandateError)) throw failure
      error = failure
      failures++
    }
    // All clients of an instance that stops connect again. The random wait spreads them.
    const waitMs = Math.random() * Math.min(backoffMs * 2 ** failures, maxBackoffMs)
    onClose?.({ error, waitMs })
    await pause(waitMs, signal)
  }
}

/** A refusal that a later attempt would get too. */
function isRefusal(error: unknown): boolean {
  return error instanceof MandateError && error.status >= 400 && error.status < 500 && error.status !== 429
}

const isUnreadable = (error: unknown) => error instanceof MandateError && error.code === 'unreadable'

async function* connection(
  client: Client,
  { types, decisions, signal, onOpen }: EventOptions,
  lastEventId: string | undefined,
  onAnswer: () => void,
): AsyncGenerator<ParsedBlock, void> {
  const silence = new AbortController()
  const query: NonNullable<Input<'streamEvents'>['query']> = {
    ...(types && { types: types.join(',') }),
    ...(decisions !== undefined && { decisions }),
  }
  const silent = new MandateError('the event stream was silent for too long; a proxy may hold it back', {
    status: 0,
    code: 'timeout',
  })
  const watch = () => setTimeout(() => silence.abort(silent), silentMs)
  let timer = watch()
  try {
    const response = await client.open('streamEvents', {
      query,
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
      ...(lastEventId !== undefined && { lastEventId }),
    })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel().catch(() => {})
      throw new MandateError('the answer is not a stream of events; check the address', {
        status: response.status,
        code: 'unreadable',
      })
    }
    onAnswer()
    const parser = new EventParser()
    const decoder = new TextDecoder()
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    try {
      for (let isOpen = false; ; isOpen = true) {
        const { done, value } = await reader.read()
        if (done) return
        if (!isOpen) onOpen?.()
        clearTimeout(timer)
        timer = watch()
        for (const block of parser.feed(decoder.decode(value, { stream: true }))) yield block
      }
    } finally {
      // If the caller stops reading, the connection must not stay open.
      await reader.cancel().catch(() => {})
    }
  } finally {
    clearTimeout(timer)
  }
}
