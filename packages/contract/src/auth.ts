import { z } from 'zod'
import { anyone, anyUser, personally } from './access.ts'
import { endpoint } from './endpoint.ts'
import { email, name, oneOf, text, uuid } from './fields.ts'
import { Tenant } from './tenants.ts'
import { User } from './users.ts'

export const Session = z
  .object({
    access_token: z.string(),
    refresh_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds until the access token runs out' }),
  })
  .meta({ id: 'Session' })
export type Session = z.output<typeof Session>

const SignedIn = z.object({ session: Session, user: User }).meta({ id: 'SignedIn' })
export type SignedIn = z.output<typeof SignedIn>

/** Through what a request is made: a signed-in person, or a key with what narrows it. */
export const Via = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('session') }),
    z.object({
      type: z.literal('api_key'),
      id: uuid,
      prefix: z.string(),
      environment: z.object({ id: uuid, name: z.string(), slug: z.string() }).nullable(),
      scopes: z.array(z.string()),
    }),
  ])
  .meta({ id: 'Via' })
export type Via = z.output<typeof Via>

export const SignInProvider = z
  .object({ type: oneOf(['password', 'google', 'saml']), provider: z.string().optional() })
  .meta({ id: 'SignInProvider' })
export type SignInProvider = z.output<typeof SignInProvider>

const password = text({ min: 1 })
const otp = text({ min: 1, max: 100 })
const token = text({ min: 1, max: 500 })
// NUL stays in: cleaning drops it like any control character.
const displayName = z
  .string()
  .max(10_000, 'must be at most 10000 characters')
  .refine((value) => value.isWellFormed(), { error: 'must not contain unpaired surrogates' })
// The body's limit is the real one: a longer response is refused as such and sends the browser back to the sign-in page.
const samlResponse = z.string().max(307_200, 'must be at most 307200 characters')

const tag = 'Sign-in'
const providerParams = z.object({ provider_id: text({ min: 1, max: 200 }) })

export const authEndpoints = {
  register: endpoint({
    method: 'POST',
    path: '/auth/register',
    tag,
    summary: 'Create a tenant and become its owner',
    access: anyone,
    body: z.object({ email, password, display_name: displayName.optional(), organization: name({ max: 200 }) }),
    answers: { 201: z.object({ tenant: Tenant, user: User, session: Session }) },
    errors: [400, 409, 502],
  }),
  signIn: endpoint({
    method: 'POST',
    path: '/auth/sign-in',
    tag,
    summary: 'Sign in with address and password',
    access: anyone,
    body: z.object({ email, password, otp: otp.optional() }),
    answers: { 200: SignedIn },
    errors: [400, 502],
    codes: ['mfa_required'],
  }),
  refresh: endpoint({
    method: 'POST',
    path: '/auth/refresh',
    tag,
    summary: 'Exchange a refresh token for a new session',
    description: 'Each refresh token serves once. One that is sent again ends its whole family.',
    access: anyone,
    body: z.object({ refresh_token: token }),
    answers: { 200: z.object({ session: Session }) },
    errors: [400],
  }),
  exchange: endpoint({
    method: 'POST',
    path: '/auth/exchange',
    tag,
    summary: 'Exchange the code of a Google or SAML sign-in for a session',
    description:
      'The code comes back to `{PUBLIC_URL}/sign-in/complete?code=…`. It serves once, for one minute, and only in the browser that began the sign-in.',
    access: anyone,
    body: z.object({ code: token }),
    answers: { 200: SignedIn },
    errors: [400],
  }),
  signOut: endpoint({
    method: 'POST',
    path: '/auth/sign-out',
    tag,
    summary: "End the session of one of the caller's refresh tokens",
    access: personally,
    body: z.object({ refresh_token: token }),
    answers: { 204: null },
    errors: [400, 403],
  }),
  getSession: endpoint({
    method: 'GET',
    path: '/auth/session',
    tag,
    summary: 'Who am I, and through what',
    description: 'An API key may call it whatever its scopes are.',
    access: { ...anyUser, anyScope: true },
    answers: { 200: z.object({ user: User, tenant: Tenant, via: Via }) },
    errors: [403, 404],
  }),
  listProviders: endpoint({
    method: 'GET',
    path: '/auth/providers',
    tag,
    summary: 'How an address may sign in',
    description: 'Depends on the domain of the address alone: never tells whether the address is known.',
    access: anyone,
    query: z.object({ email: email.optional() }),
    answers: { 200: z.object({ providers: z.array(SignInProvider) }) },
    errors: [400],
  }),
  acceptInvitation: endpoint({
    method: 'POST',
    path: '/auth/invitations/accept',
    tag,
    summary: 'Accept an invitation',
    description:
      'A new address chooses its password. An address that has a sign-in account proves it with its password (and `otp`), or with its own access token.',
    access: anyone,
    body: z.object({
      token,
      password: password.optional(),
      otp: otp.optional(),
      display_name: displayName.optional(),
    }),
    answers: { 200: SignedIn },
    errors: [400, 409, 410, 502],
    codes: ['owner_elsewhere', 'user_elsewhere', 'mfa_required'],
  }),
  forgotPassword: endpoint({
    method: 'POST',
    path: '/auth/password/forgot',
    tag,
    summary: 'Ask for a link to choose a new password',
    access: anyone,
    body: z.object({ email }),
    answers: { 202: z.object({ message: z.string() }) },
    errors: [400],
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/auth/password/reset',
    tag,
    summary: 'Choose a new password; every session of the account ends',
    access: anyone,
    body: z.object({ token, password }),
    answers: { 204: null },
    errors: [400, 410, 502],
  }),
  startTotp: endpoint({
    method: 'POST',
    path: '/auth/mfa/totp',
    tag,
    summary: 'Begin to enrol a second factor',
    description: 'Replacing a factor in force asks for the current password.',
    access: personally,
    body: z.object({ password: password.optional() }),
    bodyOptional: true,
    answers: { 200: z.object({ secret: z.string(), otpauth_url: z.string() }) },
    errors: [400, 403, 409, 502],
  }),
  confirmTotp: endpoint({
    method: 'POST',
    path: '/auth/mfa/totp/confirm',
    tag,
    summary: 'Put the second factor in force with its first code',
    access: personally,
    body: z.object({ otp }),
    answers: { 200: z.object({ recovery_codes: z.array(z.string()) }) },
    errors: [400, 403, 409, 502],
  }),
  startGoogle: endpoint({
    method: 'GET',
    path: '/auth/google/start',
    tag,
    summary: 'Go to Google to sign in, or to accept an invitation',
    access: anyone,
    query: z.object({ invitation: token.optional() }),
    answers: { 302: null },
    errors: [400, 404],
  }),
  finishGoogle: endpoint({
    method: 'GET',
    path: '/auth/google/callback',
    tag,
    summary: 'Come back from Google',
    access: anyone,
    answers: { 302: null },
    errors: [404],
  }),
  startSaml: endpoint({
    method: 'GET',
    path: '/auth/saml/{provider_id}/start',
    tag,
    summary: "Go to a tenant's SAML identity provider to sign in",
    access: anyone,
    params: providerParams,
    answers: { 302: null },
    errors: [400, 404],
  }),
  finishSaml: endpoint({
    method: 'POST',
    path: '/auth/saml/{provider_id}/acs',
    tag,
    summary: 'Come back from a SAML identity provider',
    access: anyone,
    params: providerParams,
    body: z.object({
      SAMLResponse: samlResponse,
      RelayState: z.string().max(1024, 'must be at most 1024 characters').optional(),
    }),
    bodyLimitBytes: 300 * 1024,
    consumes: 'application/x-www-form-urlencoded',
    answers: { 303: null },
    errors: [400, 404],
  }),
  getSamlMetadata: endpoint({
    method: 'GET',
    path: '/auth/saml/{provider_id}/metadata',
    tag,
    summary: 'Our SAML metadata for an identity provider',
    access: anyone,
    params: providerParams,
    answers: { 200: z.string() },
    produces: 'application/xml',
    errors: [400, 404],
  }),
}
