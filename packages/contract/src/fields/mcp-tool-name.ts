const maxLength = 200
const encoder = new TextEncoder()

/** Whether a name is valid for a server of tools. It must be a valid segment of a tool pattern and must not consist of dots only. */
export function isServerName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name) && !/^\.+$/.test(name)
}

/**
 * Returns the name of a tool in policies, decisions and the inventory: `mcp:<server>/<tool>`. Letters, digits, `_`, `-` and `.` of the tool
 * stay. Every other byte in UTF-8 becomes `%XX`. So two tools of a server never share a name. Returns null for an empty name, a lone
 * surrogate, or more than 200 characters in total. Edges refuse the calls of such a tool.
 */
export function mcpToolName(server: string, tool: string): string | null {
  if (tool === '' || tool.length > maxLength || !tool.isWellFormed()) return null
  const name = `mcp:${server}/${escapeSegment(tool)}`
  return name.length > maxLength ? null : name
}

/** Encodes text as a segment of a tool name: each byte in UTF-8 except letters, digits, `_`, `-` and `.` becomes `%XX`. */
export function escapeSegment(text: string): string {
  if (/^[A-Za-z0-9_.-]+$/.test(text)) return text
  let result = ''
  for (const byte of encoder.encode(text)) {
    const character = String.fromCharCode(byte)
    result += /[A-Za-z0-9_.-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return result
}
