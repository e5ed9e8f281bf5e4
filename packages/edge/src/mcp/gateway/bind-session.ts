import { createHmac, timingSafeEqual } from 'node:crypto'

/** Longest session id taken from a tool server. */
const maxLength = 1024

/**
 * Ties a tool server's session id to the client that opened the session and to the server: what the client gets is the id and
 * a seal under the client's own token. Nothing is kept, so sessions outlive a restart of the edge. Null where the id is none.
 */
export function bindSession(token: string, server: string, id: string): string | null {
  if (id.length > maxLength || !/^[\x21-\x7e]+$/.test(id)) return null
  return `${id}.${seal(token, server, id)}`
}

/** The tool server's own id, or null where this client did not open that session with that server. */
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
