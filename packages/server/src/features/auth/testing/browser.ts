/** A minimal browser for federated sign-ins. It stores cookies and does not follow redirects. */
export interface Browser {
  cookies: Map<string, string>
  get(url: string): Promise<Visit>
  post(url: string, body: string, type: string, sendCookies?: boolean): Promise<Visit>
}

export interface Visit {
  status: number
  location: string
  setCookie: string[]
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a body
  body: any
}

export function newBrowser(): Browser {
  const cookies = new Map<string, string>()
  const send = async (url: string, init: RequestInit, sendCookies = true): Promise<Visit> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...init.headers, ...(sendCookies && cookie && { cookie }) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    const setCookie = response.headers.getSetCookie()
    for (const line of setCookie) {
      const [pair = ''] = line.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    const body = isJson ? JSON.parse(text) : text
    return { status: response.status, location: response.headers.get('location') ?? '', setCookie, body }
  }
  return {
    cookies,
    get: (url) => send(url, {}),
    post: (url, body, type, sendCookies) =>
      send(url, { method: 'POST', body, headers: { 'content-type': type } }, sendCookies),
  }
}

/** Exchanges the code in the redirect URL `back` for a session. `browser` sends the request with its cookies. */
export function exchange(serverUrl: string, browser: Browser, back: string): Promise<Visit> {
  const code = new URL(back).searchParams.get('code')
  return browser.post(`${serverUrl}/api/v1/auth/exchange`, JSON.stringify({ code }), 'application/json')
}
