import { DatabaseAway, DatabaseFull } from '../../db/connections/database-away.ts'
import { Refusal } from '../../refusal.ts'

/** The response to a thrown error. */
export interface ErrorAnswer {
  status: number
  /** The body of the response: an object for JSON, or a string with the HTML of a page. */
  body: Record<string, unknown> | string
  headers?: Record<string, string>
}

const concurrentChange: ErrorAnswer = {
  status: 409,
  body: { error: 'another request is changing the same data; try again' },
}

/**
 * SQLSTATEs that concurrent changes or a busy database can cause. Any other SQLSTATE is an error of the server and becomes 500.
 */
const sqlAnswers: Record<string, ErrorAnswer> = {
  // Another request made a change after this one had checked its input. It deleted a row that this request refers to, or
  // inserted a row with the same key.
  '23503': concurrentChange,
  '23505': concurrentChange,
  '40001': concurrentChange,
  '40P01': concurrentChange,
  '55P03': concurrentChange,
  '57014': unavailable('the database took too long; try again'),
  // The database is out of resources. A full disk is not included, because it is reported as `DatabaseFull`.
  '53000': unavailable('the database is overloaded; try again'),
  '53200': unavailable('the database is overloaded; try again'),
  '53400': unavailable('the database is overloaded; try again'),
}

/**
 * SQLSTATEs of text that PostgreSQL cannot store. Requests are checked for such text, so this is text that the server derived from a request. A
 * 4xx stops the repeats of an edge, which would otherwise send the same request again. The SQLSTATE 22P02 stands for every text that has no value
 * of its type. The functions of PostgreSQL that read JSON all have names with `json_`; the message depends on the language of the database.
 */
const unstorable = new Set(['22021', '22P05'])
const isUnstorable = (code: string, routine: unknown) =>
  unstorable.has(code) || (code === '22P02' && String(routine).startsWith('json_'))
const unstorableText: ErrorAnswer = {
  status: 400,
  body: { error: 'the request has text that cannot be stored: the character U+0000 or half of a surrogate pair' },
}

const databaseAway = unavailable('the database is not available; try again')
/** Value of `Retry-After` in seconds. It is longer than usual, because a person has to free disk space first. */
const fullRetryAfter = 10
/** The error text if the disk of the database is full. The readiness check (`/readyz`) reports the same text. */
export const noRoom = 'the database has no room left'

function unavailable(error: string, retryAfter = 1): ErrorAnswer {
  return { status: 503, body: { error }, headers: { 'retry-after': String(retryAfter) } }
}

const transportTexts: Record<string, { status: number; text: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, text: 'the Content-Type is not well-formed' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, text: 'the body is not as long as its Content-Length says' },
  FST_ERR_BAD_URL: { status: 400, text: 'the path is not well-formed' },
}

/**
 * Returns the response to a thrown error. Returns null for an unexpected error: it must be logged, and its text must not be
 * shown to the client.
 */
export function answerFor(error: unknown): ErrorAnswer | null {
  if (error instanceof Refusal) return refusalAnswer(error)
  if (error instanceof DatabaseAway) return databaseAway
  if (error instanceof DatabaseFull) return unavailable(noRoom, fullRetryAfter)
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return null
  const transport = transportTexts[code]
  if (transport) return { status: transport.status, body: { error: transport.text } }
  if (isUnstorable(code, (error as { routine?: unknown }).routine)) return unstorableText
  return sqlAnswers[code] ?? null
}

interface Circumstances {
  method: string
  /** True if only edges and agents call the endpoint. */
  isForEdges: boolean
  /** True if the disk of the database is full. */
  isDiskFull: boolean
}

/**
 * Returns the response to an error. After a conflict with another transaction, reads and requests of edges get 503 in place of 409. A client
 * can simply repeat a read. An edge repeats a request after 503, but not after 409: it would lose what it reports.
 */
export function answerTo(error: unknown, { method, isForEdges, isDiskFull }: Circumstances): ErrorAnswer | null {
  if (isDiskFull && error instanceof DatabaseAway) return unavailable(noRoom, fullRetryAfter)
  const answer = answerFor(error)
  const isRepeatable = isForEdges || method === 'GET' || method === 'HEAD'
  return isRepeatable && answer?.status === 409 && !(error instanceof Refusal)
    ? unavailable('the database is busy; try again')
    : answer
}

function refusalAnswer({ status, message, code, extra, headers, page }: Refusal): ErrorAnswer {
  const sent = headers && { headers }
  if (page !== undefined) return { status, body: page, ...sent }
  if (code === 'numeric') return { status, body: { error: message, code: status, ...extra }, ...sent }
  return { status, body: code ? { error: message, message, code, ...extra } : { error: message, ...extra }, ...sent }
}
