/**
 * The kinds of tool names: tools of MCP servers, functions, HTTP operations, models, resources of MCP servers
 * (`resource:<server>/read` and `resource:<server>/subscribe`), and prompts of MCP servers (`prompt:<server>/<name>`).
 */
export const toolKinds = ['mcp', 'fn', 'http', 'model', 'resource', 'prompt'] as const
export type ToolKind = (typeof toolKinds)[number]

/** A segment of a pattern, and its text split at the stars. A segment without a star has one piece. */
type Glob = { text: string; pieces: string[] }

export type Pattern =
  | { text: string; any: true }
  | { text: string; any: false; kind: ToolKind; namespace: Glob; operation: Glob }

export type ParsedPattern = { ok: true; pattern: Pattern } | { ok: false; error: string }

export type ToolName = { kind: ToolKind; namespace: string; operation: string }

const maxStars = 4
const segmentShape = /^[A-Za-z0-9_.*-]{1,64}$/
const kinds: ReadonlySet<string> = new Set(toolKinds)
const prefixes = toolKinds.map((kind) => `${kind}:`)

/**
 * Parses `*` or `kind:segment/segment`. The error describes the first fault. It does not name the field, so the caller adds the field's
 * name.
 */
export function parsePattern(text: unknown): ParsedPattern {
  if (typeof text !== 'string') return fault('must be a string')
  if (text === '*') return { ok: true, pattern: { text, any: true } }
  const colon = text.indexOf(':')
  const kind = text.slice(0, Math.max(colon, 0))
  if (!kinds.has(kind))
    return fault(`must be "*" or begin with ${prefixes.slice(0, -1).join(', ')} or ${prefixes.at(-1)}`)
  const segments = text.slice(colon + 1).split('/')
  if (segments.length !== 2) return fault('must have two segments separated by one "/"')
  const [namespace = '', operation = ''] = segments
  if (!segmentShape.test(namespace) || !segmentShape.test(operation)) {
    return fault('each segment must be 1 to 64 characters of A-Z a-z 0-9 _ - . and *')
  }
  if (countStars(text) > maxStars) return fault('may hold at most four "*"')
  return {
    ok: true,
    pattern: { text, any: false, kind: kind as ToolKind, namespace: glob(namespace), operation: glob(operation) },
  }
}

/** Parses a pattern that must be well formed. @throws TypeError if it is malformed */
export function compilePattern(text: string): Pattern {
  const parsed = parsePattern(text)
  if (!parsed.ok) throw new TypeError(`invalid pattern ${JSON.stringify(text)}: ${parsed.error}`)
  return parsed.pattern
}

/**
 * Splits a tool name into its parts. Returns null if the name does not have the form `kind:namespace/operation`. Also accepts characters
 * that patterns do not allow, so that an unusual name cannot bypass a pattern with `*`.
 */
export function parseToolName(tool: string): ToolName | null {
  const colon = tool.indexOf(':')
  const kind = tool.slice(0, Math.max(colon, 0))
  if (!kinds.has(kind)) return null
  const slash = tool.indexOf('/', colon + 1)
  if (slash < 0 || tool.indexOf('/', slash + 1) >= 0) return null
  return { kind: kind as ToolKind, namespace: tool.slice(colon + 1, slash), operation: tool.slice(slash + 1) }
}

/** Whether the pattern matches the whole tool name. `*` matches any text inside a segment, including empty text. */
export function matches(pattern: Pattern, tool: string): boolean {
  if (pattern.any) return true
  const name = parseToolName(tool)
  return name !== null && matchesName(pattern, name)
}

/** Like `matches`, for a parsed name. Null stands for a malformed name, which only the pattern `*` matches. */
export function matchesName(pattern: Pattern, name: ToolName | null): boolean {
  if (pattern.any) return true
  if (name === null || pattern.kind !== name.kind) return false
  return matchesGlob(pattern.namespace, name.namespace) && matchesGlob(pattern.operation, name.operation)
}

/** Whether `broad` matches every tool name that `narrow` matches. The result is always exact. */
export function coversPattern(broad: Pattern, narrow: Pattern): boolean {
  if (broad.any) return true
  if (narrow.any || broad.kind !== narrow.kind) return false
  // Matches `broad` with the text of `narrow`. A star in this text is an ordinary character that only a star in `broad`
  // matches. So the result is also right for every text that the star in `narrow` stands for.
  return matchesGlob(broad.namespace, narrow.namespace.text) && matchesGlob(broad.operation, narrow.operation.text)
}

/** Whether some tool name matches both patterns. The result is always exact. */
export function overlaps(one: Pattern, other: Pattern): boolean {
  if (one.any || other.any) return true
  return one.kind === other.kind && meets(one.namespace, other.namespace) && meets(one.operation, other.operation)
}

// Between their first and last pieces, two globs with stars can be written one after the other: a star of each matches what the other has.
function meets(one: Glob, other: Glob): boolean {
  if (isLiteral(one)) return matchesGlob(other, one.text)
  if (isLiteral(other)) return matchesGlob(one, other.text)
  const [[first, last], [otherFirst, otherLast]] = [ends(one), ends(other)]
  return (
    (first.startsWith(otherFirst) || otherFirst.startsWith(first)) &&
    (last.endsWith(otherLast) || otherLast.endsWith(last))
  )
}

const ends = ({ pieces }: Glob): [first: string, last: string] => [pieces[0]!, pieces.at(-1)!]

export function isLiteral(segment: Glob): boolean {
  return segment.pieces.length === 1
}

// Finds the texts between the stars from left to right, without backtracking. So a pattern with many stars is not slow.
function matchesGlob({ pieces }: Glob, text: string): boolean {
  const first = pieces[0]!
  const lastIndex = pieces.length - 1
  if (lastIndex === 0) return text === first
  const last = pieces[lastIndex]!
  const end = text.length - last.length
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let position = first.length
  for (let index = 1; index < lastIndex; index++) {
    const piece = pieces[index]!
    const found = text.indexOf(piece, position)
    if (found < 0 || found + piece.length > end) return false
    position = found + piece.length
  }
  return true
}

function glob(text: string): Glob {
  return { text, pieces: text.split('*') }
}

function countStars(text: string): number {
  return text.split('*').length - 1
}

function fault(error: string): ParsedPattern {
  return { ok: false, error }
}
