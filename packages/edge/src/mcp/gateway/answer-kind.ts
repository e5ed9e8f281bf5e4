/** How a client reads an answer: as a stream of events, as JSON, or as neither, such as the page of a proxy. */
export type AnswerKind = 'stream' | 'json' | 'other'

const utf8 = /^(?:\s*;\s*charset=(?:utf-?8|"utf-?8"))?\s*$/i

/**
 * Returns how a client reads an answer of this content type. Returns null if clients could read it in different ways: media
 * types ignore case, but some clients look for `text/event-stream` or `application/json` anywhere in the header.
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
