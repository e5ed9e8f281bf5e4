/**
 * How a client reads an answer: as an event stream, as JSON, or as other content. An HTML error page of a proxy is other
 * content.
 */
export type AnswerKind = 'stream' | 'json' | 'other'

const utf8 = /^(?:\s*;\s*charset=(?:utf-?8|"utf-?8"))?\s*$/i

/**
 * Returns how a client reads an answer of this content type. Returns null if two clients could read the answer differently. For
 * example, some clients compare the exact media type, and others only search the header for `application/json`.
 */
export function answerKind(contentType = ''): AnswerKind | null {
  const semicolon = contentType.indexOf(';')
  const end = semicolon < 0 ? contentType.length : semicolon
  const type = contentType.slice(0, end).trim().toLowerCase()
  const isPlain = utf8.test(contentType.slice(end))
  if (type === 'text/event-stream') return isPlain ? 'stream' : null
  if (/^application\/(?:[a-z0-9.-]+\+)?json$/.test(type)) return isPlain ? 'json' : null
  return /event-stream|json/i.test(contentType) ? null : 'other'
}
