import { authEndpoints as endpoints } from '@mandate/contract/auth'
import { Content, on, Reply } from '../../http/route.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { confirmTotp, startTotp } from './enrol-totp.ts'
import { finishGoogle } from './finish-google.ts'
import { finishSaml } from './finish-saml.ts'
import { forgotPassword } from './forgot-password.ts'
import { getSession } from './get-session.ts'
import { secretMark } from './give-code.ts'
import { listProviders } from './list-providers.ts'
import { redirectAway, redirectBack } from './redirects.ts'
import { exchange, refresh } from './refresh.ts'
import { register } from './register.ts'
import { resetPassword } from './reset-password.ts'
import { requireSamlProvider } from './saml-provider.ts'
import { signIn } from './sign-in.ts'
import { clearCookie, newBrowserSecret, readCookie } from './sign-in-cookie.ts'
import { signOut } from './sign-out.ts'
import { requireGoogle, startGoogle } from './start-google.ts'
import { getSamlMetadata, startSaml } from './start-saml.ts'
import { clientAttempts as limits } from './throttle.ts'

export const authRoutes = [
  on(endpoints.register, (ctx, { body }) => register(ctx, body), { attempts: limits.register }),
  on(endpoints.signIn, (ctx, { body }) => signIn(ctx, body), { attempts: limits.signIn }),
  on(endpoints.refresh, (ctx, { body }) => refresh(ctx, body.refresh_token), { attempts: limits.refresh }),
  on(
    endpoints.exchange,
    async (ctx, { body, headers }) => {
      const { publicUrl } = ctx.services.config
      // A browser that began no sign-in has no secret, and no code is made for the one it is given here.
      const secret = readCookie(publicUrl, headers.cookie)?.secret ?? newBrowserSecret()
      const signedIn = await exchange(ctx, body.code, secretMark(secret))
      return new Reply(signedIn, { headers: { 'set-cookie': clearCookie(publicUrl) } })
    },
    { attempts: limits.exchange },
  ),
  on(endpoints.signOut, async (ctx, { body }) => {
    await signOut(ctx, body.refresh_token)
    return undefined
  }),
  on(endpoints.getSession, (ctx) => getSession(ctx), { readsAhead: () => true }),
  on(endpoints.listProviders, (ctx, { query }) => listProviders(ctx, query.email)),
  on(
    endpoints.acceptInvitation,
    (ctx, { body, headers }) =>
      acceptInvitation(ctx, { ...body, accessToken: /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] }),
    { attempts: limits.accept },
  ),
  on(endpoints.forgotPassword, (ctx, { body }) => forgotPassword(ctx, body.email), { attempts: limits.forgot }),
  on(
    endpoints.resetPassword,
    async (ctx, { body }) => {
      await resetPassword(ctx, body.token, body.password)
      return undefined
    },
    { attempts: limits.reset },
  ),
  on(endpoints.startTotp, (ctx, { body }) => startTotp(ctx, body.password)),
  on(endpoints.confirmTotp, (ctx, { body }) => confirmTotp(ctx, body.otp)),
  on(endpoints.startGoogle, (ctx, { query }) => redirectAway(ctx, () => startGoogle(ctx, query.invitation)), {
    attempts: limits.startFederated,
  }),
  on(
    endpoints.finishGoogle,
    async (ctx, { headers, url }) => {
      requireGoogle(ctx)
      const attempt = readCookie(ctx.services.config.publicUrl, headers.cookie)
      return await redirectBack(ctx, 302, () => finishGoogle(ctx, url, attempt))
    },
    { attempts: limits.finishFederated },
  ),
  on(endpoints.startSaml, (ctx, { params }) => redirectAway(ctx, () => startSaml(ctx, params.provider_id)), {
    attempts: limits.startFederated,
  }),
  on(
    endpoints.finishSaml,
    async (ctx, { params, body }) => {
      const provider = await requireSamlProvider(ctx, params.provider_id)
      const { SAMLResponse, RelayState: relayState } = body
      return await redirectBack(ctx, 303, () => finishSaml(ctx, provider, { SAMLResponse, relayState }))
    },
    { attempts: limits.finishFederated },
  ),
  on(endpoints.getSamlMetadata, async (ctx, { params }) => {
    const xml = await getSamlMetadata(ctx, params.provider_id)
    return new Content(xml, 'application/xml; charset=utf-8')
  }),
]
