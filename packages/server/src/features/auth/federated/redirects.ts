import type { Ctx } from '../../../caller/ctx.ts'
import { Reply } from '../../../http/routes/route.ts'
import { type SignInAttempt, writeCookie } from './sign-in-cookie.ts'
import { reasonOf } from './sign-in-refused.ts'

// The URLs contain codes and tokens. This header prevents the browser from sending the URLs to other sites in a `Referer` header.
const common = { 'referrer-policy': 'no-referrer' }

/**
 * Redirects the browser to the identity provider's sign-in page and sets Mandate's cookie for this sign-in. If the provider
 * does not respond, redirects to Mandate's sign-in page.
 */
export async function redirectAway(ctx: Ctx<null>, start: () => Promise<{ url: string; attempt: SignInAttempt }>) {
  const { publicUrl } = ctx.services.config
  try {
    const { url, attempt } = await start()
    return redirect(302, url, { 'set-cookie': writeCookie(publicUrl, attempt) })
  } catch (error) {
    const reason = reasonOf(error)
    if (reason !== 'unavailable') throw error
    return redirect(302, `${publicUrl}/sign-in?error=${reason}`)
  }
}

/** Redirects the browser to the dashboard with a code, or to the sign-in page with the reason of the failure. */
export async function redirectBack(ctx: Ctx<null>, status: 302 | 303, finish: () => Promise<string>) {
  const { publicUrl } = ctx.services.config
  try {
    return redirect(status, `${publicUrl}/sign-in/complete?code=${await finish()}`)
  } catch (err) {
    const reason = reasonOf(err)
    if (reason === null) throw err
    ctx.services.log.info({ err, reason, request_id: ctx.request.id }, 'a federated sign-in failed')
    return redirect(status, `${publicUrl}/sign-in?error=${reason}`)
  }
}

function redirect(status: 302 | 303, location: string, headers: Record<string, string> = {}) {
  return new Reply(undefined, { status, headers: { location, ...common, ...headers } })
}
