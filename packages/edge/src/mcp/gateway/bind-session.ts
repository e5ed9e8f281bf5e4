import { createHmac, timingSafeEqual } from 'node:crypto'

/** The longest session id that is accepted from a tool server. */
const maxLength = 1024

/**
 * Binds the session id of a tool server to the client that opened the session and to the server. The client gets the id with a
 * seal under its own token. Nothing is stored, so sessions survive a restart of the edge. Null if the id is invalid.
 */
export function bindSession(token: string, server: string, id: string): string | null {
  if (id.length > maxLength || !/^[\x21-\x7e]+$/.test(id)) return null
  return `${id}.${seal(token, server, id)}`
}

/** The tool server's own id. Null if this client did not open the session with this server. */
export function openSession(token: string, server: string, bound: string): string | null {
  const dot = bound.lastIndexOf('.')
  if (dot < 1) return null
  const id = bound.slice(0, dot)
  const given = Buffer.from(bound.slice(dot + 1), 'latin1')
  const expected = Buffer.from(seal(token, server, id), 'latin1')
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
}

function seal(token: string, server: string, id: string): string {
  return createHmac('sha256', token).update(`mcp session\0${server}\0${id}`).digest('base64url')
}
