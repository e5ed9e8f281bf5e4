import { isIP } from 'node:net'

/** The client that last signed in with a session or refreshed it. */
export interface SessionClient {
  /** Null if the address is not an IP address. */
  ip: string | null
  /** Null if the client sent no `User-Agent` header. */
  userAgent: string | null
}

const maxUserAgent = 300
const longestIp = 64

/** Control characters, line separators, and characters without a width, some of which change the text direction. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/**
 * Returns what is stored about the client of a request. The client chooses its `User-Agent` header, and people read the text in
 * a list. So the text has a maximum length and no control characters.
 */
export function clientOfSession({ ip, userAgent }: { ip: string; userAgent: string }): SessionClient {
  const visible = userAgent.replace(invisible, ' ').trim()
  return {
    ip: ip.length <= longestIp && isIP(ip) !== 0 ? ip : null,
    userAgent: [...visible].slice(0, maxUserAgent).join('').trim() || null,
  }
}
