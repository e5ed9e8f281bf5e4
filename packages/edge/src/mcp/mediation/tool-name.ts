/** What a configured server may be called: a segment of the pattern grammar that is not only dots. */
export function isServerName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name) && !/^\.+$/.test(name)
}

const maxLength = 200
const encoder = new TextEncoder()

/**
 * The name a policy knows a server's tool by, `mcp:<server>/<tool>`, or null where it has none and the call is refused.
 *
 * Letters, digits, `_`, `-` and `.` stand for themselves; every other byte of the name in UTF-8 becomes `%XX`. So a tool named
 * `a/b` stays one segment, which `mcp:<server>/*` covers, and no two tools share a name. Null: empty, a lone surrogate, or
 * over 200 characters in all.
 */
export function toolName(server: string, tool: string): string | null {
  if (tool === '' || tool.length > maxLength || !tool.isWellFormed()) return null
  const name = `mcp:${server}/${escapeSegment(tool)}`
  return name.length > maxLength ? null : name
}

/** Text as a segment that rules can speak of: each byte in UTF-8 other than letters, digits, `_`, `-` and `.` becomes `%XX`. */
export function escapeSegment(text: string): string {
  if (/^[A-Za-z0-9_.-]+$/.test(text)) return text
  let escaped = ''
  for (const byte of encoder.encode(text)) {
    const character = String.fromCharCode(byte)
    escaped += /[A-Za-z0-9_.-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return escaped
}
