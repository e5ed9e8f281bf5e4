/** Whether a name is valid for a configured server. It must be a valid segment of a tool pattern and must not consist of dots only. */
export function isServerName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name) && !/^\.+$/.test(name)
}

const maxLength = 200
const encoder = new TextEncoder()

/**
 * Returns the name of a tool in policies, `mcp:<server>/<tool>`. Letters, digits, `_`, `-` and `.` stay. Every other byte in
 * UTF-8 becomes `%XX`. So a tool named `a/b` stays one segment, which `mcp:<server>/*` matches, and two tools never share a
 * name. Returns null for an empty name, a lone surrogate, or more than 200 characters in total. Calls of a tool without a
 * policy name are refused.
 */
export function toolName(server: string, tool: string): string | null {
  if (tool === '' || tool.length > maxLength || !tool.isWellFormed()) return null
  const name = `mcp:${server}/${escapeSegment(tool)}`
  return name.length > maxLength ? null : name
}

/** Encodes text as a segment of a tool name: each byte in UTF-8 except letters, digits, `_`, `-` and `.` becomes `%XX`. */
export function escapeSegment(text: string): string {
  if (/^[A-Za-z0-9_.-]+$/.test(text)) return text
  let escaped = ''
  for (const byte of encoder.encode(text)) {
    const character = String.fromCharCode(byte)
    escaped += /[A-Za-z0-9_.-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return escaped
}
