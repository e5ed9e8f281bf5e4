import { authEndpoints as endpoints } from '@mandate/contract/auth'
import { bearerToken } from '../../caller/bearer-token.ts'
import { clearSessionCookie } from '../../http/cookies/session-cookie.ts'
import { Content, on, Reply } from '../../http/routes/route.ts'
import { clientAttempts as limits } from './account/throttle.ts'
import { requestVerification, verifyEmail } from './address/verify-email.ts'
import { onDevice } from './device/on-device.ts'
import { secretDigest } from './federated/create-code.ts'
import { listProviders } from './federated/list-providers.ts'
import { redirectAway, redirectBack } from './federated/redirects.ts'
import { requireSamlProvider } from './federated/saml-provider.ts'
import { clearCookie, newBrowserSecret, readCookie } from './federated/sign-in-cookie.ts'
import { finishGoogle } from './google/finish-google.ts'
import { requireGoogle, startGoogle } from './google/start-google.ts'
import { acceptInvitation } from './joining/accept-invitation.ts'
import { previewInvitation } from './joining/preview-invitation.ts'
import { register } from './joining/register.ts'
import { changePassword } from './password/change-password.ts'
import { forgotPassword } from './password/forgot-password.ts'
import { resetPassword } from './password/reset-password.ts'
import { signIn } from './password/sign-in.ts'
import { finishSaml } from './saml/finish-saml.ts'
import { getSamlMetadata, startSaml } from './saml/start-saml.ts'
import { deliverRefreshed } from './session/deliver-session.ts'
import { getSession } from './session/get-session.ts'
import { listSessions } from './session/list-sessions.ts'
import { openOnDevice } from './session/open-on-device.ts'
import { exchange, refresh } from './session/refresh.ts'
import { refreshTokenOf } from './session/refresh-token-of.ts'
import { revokeSession } from './session/revoke-session.ts'
import { signOut } from './session/sign-out.ts'
import { signOutByCookie } from './session/sign-out-by-cookie.ts'
import { confirmTotp, startTotp } from './totp/enrol-totp.ts'

export const authRoutes = [
  on(endpoints.register, (ctx, input) => openOnDevice(ctx, input, (device) => register(ctx, input.body, device)), {
    attempts: limits.register,
  }),
  on(
    endpoints.signIn,
    (ctx, input) => {
      const { mail_token: mailToken, ...credentials } = input.body
      return openOnDevice(ctx, input, (device, knownDevice) =>
        signIn(ctx, { ...credentials, mailToken, knownDevice }, device),
      )
    },
    { attempts: limits.signIn },
  ),
  on(
    endpoints.refresh,
    (ctx, { body, cookieSession }) => {
      const token = refreshTokenOf(body, cookieSession)
      return deliverRefreshed(ctx, cookieSession, () => refresh(ctx, { token, inCookie: cookieSession !== null }))
    },
    { attempts: limits.refresh },
  ),
  on(
    endpoints.exchange,
    async (ctx, input) => {
      const { body, headers } = input
      const { publicUrl } = ctx.services.config
      // A browser without the cookie did not start this sign-in. It gets a new secret, for which no code was issued. So the
      // exchange fails.
      const secret = readCookie(publicUrl, headers.cookie)?.secret ?? newBrowserSecret()
      const browserSecret = secretDigest(secret)
      return await openOnDevice(ctx, input, (device) => exchange(ctx, body.code, { browserSecret, device }), [
        clearCookie(publicUrl),
      ])
    },
    { attempts: limits.exchange },
  ),
  on(
    endpoints.signOut,
    async (ctx, { body, cookieSession }) => {
      const token = refreshTokenOf(body, cookieSession)
      const { actor } = ctx
      if (token !== undefined)
        await (actor === null ? signOutByCookie({ ...ctx, actor }, token) : signOut({ ...ctx, actor }, token))
      if (cookieSession === null) return undefined
      return new Reply(undefined, { headers: { 'set-cookie': clearSessionCookie(ctx.services.config.publicUrl) } })
    },
    { attempts: limits.signOut },
  ),
  on(endpoints.listSessions, (ctx) => listSessions(ctx)),
  on(endpoints.revokeSession, async (ctx, { params }) => await revokeSession(ctx, params.session_id)),
  on(endpoints.getSession, (ctx, { query }) => getSession(ctx, query.include), {
    readsAhead: ({ include }) => include === undefined,
  }),
  on(endpoints.listProviders, (ctx, { query }) => listProviders(ctx, query.email)),
  on(
    endpoints.acceptInvitation,
    (ctx, input) =>
      openOnDevice(ctx, input, (device) =>
        acceptInvitation(ctx, {
          ...input.body,
          accessToken: bearerToken(input.headers.authorization)?.text,
          device,
        }),
      ),
    { attempts: limits.accept },
  ),
  on(endpoints.previewInvitation, (ctx, { body }) => previewInvitation(ctx, body.token), { attempts: limits.preview }),
  on(endpoints.forgotPassword, (ctx, { body }) => forgotPassword(ctx, body.email), { attempts: limits.forgot }),
  on(
    endpoints.resetPassword,
    async (ctx, { body }) => {
      await resetPassword(ctx, body.token, body.password)
      return undefined
    },
    { attempts: limits.reset },
  ),
  on(endpoints.changePassword, (ctx, { body, headers }) =>
    onDevice(ctx, headers, (device) =>
      changePassword(ctx, { current: body.current_password, next: body.password }, device),
    ),
  ),
  on(endpoints.verifyEmail, async (ctx, { body }) => {
    await verifyEmail(ctx, body.token)
    return undefined
  }),
  on(endpoints.requestVerification, (ctx) => requestVerification(ctx)),
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
