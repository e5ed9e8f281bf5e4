import type { Ctx } from '../../../caller/ctx.ts'
import { secretDigest } from '../federated/create-code.ts'
import { requireSamlProvider } from '../federated/saml-provider.ts'
import { newBrowserSecret, type SignInAttempt } from '../federated/sign-in-cookie.ts'

/**
 * Starts a SAML sign-in. The relay state carries the digest of the browser's secret, because the provider's POST to the ACS comes
 * without the cookie.
 */
export async function startSaml(ctx: Ctx<null>, providerId: string): Promise<{ url: string; attempt: SignInAttempt }> {
  const provider = await requireSamlProvider(ctx, providerId)
  const secret = newBrowserSecret()
  const { url } = await ctx.services.identity.saml.startUrl(provider, secretDigest(secret))
  return { url, attempt: { secret } }
}

/** Returns the SAML metadata of Mandate as service provider, as XML. */
export async function getSamlMetadata(ctx: Ctx<null>, providerId: string): Promise<string> {
  return await ctx.services.identity.saml.metadata(await requireSamlProvider(ctx, providerId))
}
