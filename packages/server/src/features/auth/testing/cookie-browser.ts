import { type ApiAnswer, apiClient } from '../../../testing/api-client.ts'
import type { TestServer } from '../../../testing/start-test-server.ts'

export const cookieMode = { 'mandate-session': 'cookie' }

/** The session cookie that a response sets: its value, and its attributes. Undefined if the response does not set it. */
export function sessionCookieOf({ headers }: Pick<ApiAnswer, 'headers'>): { value: string; line: string } | undefined {
  const lines = headers.getSetCookie().filter((line) => /^(__Host-)?mandate_session=/.test(line))
  if (lines.length > 1) throw new Error(`the response sets the session cookie more than once: ${lines.join(' | ')}`)
  const [line] = lines
  return line === undefined ? undefined : { value: /=([^;]*)/.exec(line)?.[1] ?? '', line }
}

/** What a page on the origin of `PUBLIC_URL` sends to the API. */
export function pageOf(server: TestServer) {
  const { origin } = new URL(server.services.config.publicUrl)
  const headers = { ...cookieMode, origin, 'sec-fetch-site': 'same-origin' }
  const api = apiClient(server.url)
  const withCookie = (token: string, more: Record<string, string> = {}) => ({
    ...headers,
    cookie: `mandate_session=${token}`,
    ...more,
  })
  return {
    post: (path: string, body?: unknown) => api.post(path, body, headers),
    /** Posts without a body, with a session cookie and other headers. */
    refresh: (token: string, more?: Record<string, string>) =>
      api.post('/auth/refresh', undefined, withCookie(token, more)),
    signOut: (token: string, more?: Record<string, string>) =>
      api.post('/auth/sign-out', undefined, withCookie(token, more)),
  }
}
