import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Maximum length of a session id from a tool server. */
const maxLength = 1024

/**
 * Returns the key with which the edge seals the session ids of a client. A client knows its token, so the key also needs a secret that only
 * the edges of one state folder know.
 */
export function sessionKey(secret: string, token: string): KeyObject {
  return createSecretKey(createHmac('sha256', secret).update(`mcp session key\0${token}`).digest())
}

/**
 * Binds a session id of a tool server to that server and to the client that opened the session. The client gets the id
 * together with a seal. The edge stores nothing, so sessions survive a restart. Returns null if the id is invalid.
 */
export function bindSession(key: KeyObject, server: string, id: string): string | null {
  return isValid(id) ? `${id}.${seal(key, server, id)}` : null
}

/** Returns the id that the tool server gave the session, or null if this client did not open the session with this server. */
export function openSession(key: KeyObject, server: string, bound: string): string | null {
  const dot = bound.lastIndexOf('.')
  if (dot < 1) return null
  const id = bound.slice(0, dot)
  const given = Buffer.from(bound.slice(dot + 1), 'latin1')
  if (!isValid(id)) return null
  const expected = Buffer.from(seal(key, server, id), 'latin1')
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
}

/**
 * The name of a session in records of decisions. It is a hash, because a program that knows the id of a session may be able to use the
 * session.
 */
export function recordedSession(server: string, id: string): string {
  return `mcp-${createHash('sha256').update(`mcp session\0${server}\0${id}`).digest('hex').slice(0, 32)}`
}

const isValid = (id: string) => id.length <= maxLength && /^[\x21-\x7e]+$/.test(id)

function seal(key: KeyObject, server: string, id: string): string {
  return createHmac('sha256', key).update(`mcp session\0${server}\0${id}`).digest('base64url')
}
