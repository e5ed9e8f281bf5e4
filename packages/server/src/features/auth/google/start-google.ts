import type { Ctx } from '../../../caller/ctx.ts'
import type { GoogleSignIn } from '../../../identity/port.ts'
import { notFound } from '../../../refusal.ts'
import { newBrowserSecret, type SignInAttempt } from '../federated/sign-in-cookie.ts'

/** Starts a Google sign-in, with or without an invitation. @throws 404 if no Google client is configured */
export async function startGoogle(
  ctx: Ctx<null>,
  invitation?: string,
): Promise<{ url: string; attempt: SignInAttempt }> {
  const { url, state } = await requireGoogle(ctx).startUrl({ redirectUri: redirectUriOf(ctx) })
  return { url, attempt: { secret: newBrowserSecret(), state, invitation } }
}

export function redirectUriOf({ services }: Ctx<null>): string {
  return `${services.config.publicUrl}/api/v1/auth/google/callback`
}

export function requireGoogle({ services }: Ctx<null>): GoogleSignIn {
  if (!services.identity.google) throw notFound('sign-in with Google')
  return services.identity.google
}
