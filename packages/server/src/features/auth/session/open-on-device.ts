import type { Ctx } from '../../../caller/ctx.ts'
import type { CookieSession } from '../../../http/cookies/session-cookie.ts'
import { onDevice } from '../device/on-device.ts'
import { deliverSession, type IssuedSession } from './deliver-session.ts'

interface SignInRequest {
  headers: Record<string, string | undefined>
  cookieSession: CookieSession | null
}

/** Like `onDevice`, for `work` that opens a session. The refresh token goes into the response body or into the session cookie. */
export async function openOnDevice<T extends { session: IssuedSession }>(
  ctx: Ctx<null>,
  { headers, cookieSession }: SignInRequest,
  work: (device: string, known: string | undefined) => Promise<T>,
  cookies: readonly string[] = [],
) {
  const all = [...cookies]
  return await onDevice(
    ctx,
    headers,
    async (device, known) => {
      const delivered = deliverSession(ctx, cookieSession, await work(device, known))
      all.push(...delivered.cookies)
      return delivered.answer
    },
    all,
  )
}
