import { endOfString, isFollowedByColon, readKey } from './find-ambiguity.ts'

/** The part of a JSON-RPC message that can be read although the text as a whole is refused. */
export interface Envelope {
  /** The id as it is written in the text: a JSON string or number. Null if there is no such id, or if the message has two different ids. */
  id: string | null
  /** Whether it has the key `jsonrpc`. */
  isNamed: boolean
  hasMethod: boolean
  /** Whether the message has a result or an error. */
  hasOutcome: boolean
}

export interface Envelopes {
  readonly isBatch: boolean
  readonly found: readonly Envelope[]
}

/** A batch may contain at most this many messages. */
const mostEnvelopes = 1000
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}\]]|$)/y

/**
 * Reads the ids of the messages in a text that is not JSON, is ambiguous, or exceeds a limit. So the sender gets an answer that names its
 * request. Reads the text once, without recursion. Accepts every text.
 */
export function readEnvelopes(text: string): Envelopes {
  const found: Envelope[] = []
  const idsDiffer = new Set<Envelope>()
  let isBatch = false
  let open: Envelope | null = null
  let openDepth = 0
  let depth = 0
  let at = 0
  while (at < text.length) {
    const character = text.charAt(at)
    if (character === '"') {
      const end = endOfString(text, at)
      if (open && depth === openDepth && isFollowedByColon(text, end)) noteKey(open, readKey(text.slice(at, end)), end)
      at = end
      continue
    }
    at++
    if (character === '{' || character === '[') {
      if (depth === 0 && found.length === 0) isBatch = character === '['
      depth++
      if (character === '[' || depth > (isBatch ? 2 : 1)) continue
      if (found.length === mostEnvelopes) break
      open = { id: null, isNamed: false, hasMethod: false, hasOutcome: false }
      openDepth = depth
      found.push(open)
    } else if (character === '}' || character === ']') {
      if (depth === openDepth) open = null
      depth = Math.max(0, depth - 1)
    }
  }
  return { isBatch, found }

  function noteKey(envelope: Envelope, key: string, end: number): void {
    if (key === 'jsonrpc') envelope.isNamed = true
    if (key === 'method') envelope.hasMethod = true
    if (key === 'result' || key === 'error') envelope.hasOutcome = true
    if (key !== 'id') return
    const id = readId(text, text.indexOf(':', end) + 1)
    if (envelope.id !== null && id !== envelope.id) idsDiffer.add(envelope)
    envelope.id = idsDiffer.has(envelope) ? null : id
  }
}

function readId(text: string, after: number): string | null {
  let at = after
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++
  if (text.charAt(at) !== '"') {
    number.lastIndex = at
    return number.exec(text)?.[0] ?? null
  }
  const quoted = text.slice(at, endOfString(text, at))
  try {
    JSON.parse(quoted)
    return quoted
  } catch {
    return null
  }
}
