import type { Ctx } from '../../http/ctx.ts'
import type { GoogleSignIn } from '../../identity/port.ts'
import { notFound } from '../../refusal.ts'
import { identityDb } from './identity-db.ts'
import { newBrowserSecret, type SignInAttempt } from './sign-in-cookie.ts'

/** Begins a Google sign-in, which may be for an invitation. 404 where no Google client is configured. */
export async function startGoogle(
  ctx: Ctx<null>,
  invitation?: string,
): Promise<{ url: string; attempt: SignInAttempt }> {
  const { publicUrl } = ctx.services.config
  const redirectUri = `${publicUrl}/api/v1/auth/google/callback`
  const { url, state } = await requireGoogle(ctx).startUrl(identityDb(ctx.services), { redirectUri })
  return { url, attempt: { secret: newBrowserSecret(), state, invitation } }
}

export function requireGoogle({ services }: Ctx<null>): GoogleSignIn {
  if (!services.identity.google) throw notFound('sign-in with Google')
  return services.identity.google
}
