import { parseCookie, stringifySetCookie } from 'cookie'

interface HttpOnlyCookie {
  name: string
  value: string
  maxAgeSeconds: number
  sameSite: 'strict' | 'lax'
  /** Whether the cookie is for https only. Its name then has the prefix `__Host-`, which ties it to the exact host that set it. */
  secure: boolean
}

/** A `Set-Cookie` value for a cookie that scripts cannot read. */
export function httpOnlyCookie({ name, value, maxAgeSeconds: maxAge, sameSite, secure }: HttpOnlyCookie): string {
  return stringifySetCookie(
    { name: prefixed(name, secure), value, maxAge, path: '/', httpOnly: true, sameSite, secure },
    { encode: asIs },
  )
}

/** Every value that a `Cookie` header has for the name. More than one value means that another path or program set a cookie with this name. */
export function cookieValues(header: string | undefined, name: string, secure: boolean): string[] {
  const wanted = prefixed(name, secure)
  return (header ?? '')
    .split(';')
    .map((pair) => parseCookie(pair, { decode: asIs })[wanted])
    .filter((value) => value !== undefined)
}

/** The value of a cookie in a `Cookie` header. Undefined if the cookie is missing, or is sent more than once. */
export function cookieValue(header: string | undefined, name: string, secure: boolean): string | undefined {
  const [value, ...others] = cookieValues(header, name, secure)
  return others.length === 0 ? value : undefined
}

export function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}

function prefixed(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}

// All values are made of URL-safe characters, so nothing is escaped.
const asIs = (value: string) => value
