/** A `Set-Cookie` value for a cookie that scripts cannot read. On HTTPS, `__Host-` ties the cookie to the exact host that set it. */
export function httpOnlyCookie(publicUrl: string, name: string, value: string, maxAgeSeconds: number): string {
  const attributes = [`Max-Age=${maxAgeSeconds}`, 'Path=/', 'HttpOnly', 'SameSite=Lax']
  if (isHttps(publicUrl)) attributes.push('Secure')
  return [`${cookieName(publicUrl, name)}=${value}`, ...attributes].join('; ')
}

/** The value of a cookie in a `Cookie` header; undefined if the cookie is missing. */
export function cookieValue(publicUrl: string, name: string, header: string | undefined): string | undefined {
  const start = `${cookieName(publicUrl, name)}=`
  const pair = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(start))
  return pair?.slice(start.length)
}

function cookieName(publicUrl: string, name: string): string {
  return isHttps(publicUrl) ? `__Host-${name}` : name
}

function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}
