import { z } from 'zod'
import { anyone, anyUser, personally } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { email, name, oneOf, text, timestamp, uuid } from './fields/fields.ts'
import { include } from './fields/include.ts'
import { environmentReference, includeTexts, mayFields } from './fields/shared-fields.ts'
import { Tenant } from './tenants.ts'
import { User } from './users.ts'
import { roles } from './words/roles.ts'

export const Session = z
  .object({
    access_token: z
      .string()
      .describe('Signed token (JWT) for the header `Authorization: Bearer`. It is valid for at most 15 minutes.'),
    refresh_token: z
      .string()
      .optional()
      .describe(
        'Token for one refresh. Each refresh gives a new one. Left out in the answer to a request with `Mandate-Session: cookie`: the token is then in the cookie `mandate_session`.',
      ),
    token_type: z.literal('Bearer').describe('Type of the token: always `Bearer`.'),
    expires_in: z.int().describe('Seconds until the access token expires.'),
  })
  .meta({ id: 'Session', description: 'The tokens of a person who is signed in.' })
export type Session = z.output<typeof Session>

const SignedIn = z
  .object({ session: Session.describe('Tokens of the new session.'), user: User.describe('The user who signed in.') })
  .meta({ id: 'SignedIn', description: 'Result of a sign-in.' })
export type SignedIn = z.output<typeof SignedIn>

/** The credential of a request: a person's session, or an API key with its scopes and binding. */
export const Via = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('session').describe('The request comes from a signed-in person.') }),
    z.object({
      type: z.literal('api_key').describe('The request comes from a program with an API key.'),
      id: uuid.describe('Id of the API key.'),
      prefix: z.string().describe('First 8 characters of the API key.'),
      environment: environmentReference
        .nullable()
        .describe('Environment that the key is bound to. Null for a key that works in the whole tenant.'),
      scopes: z
        .array(z.string())
        .describe('What the key may do. An empty list means no limit beyond the role of its creator.'),
    }),
  ])
  .meta({
    id: 'Via',
    description: 'The credential of a request: the session of a person, or an API key with its scopes and binding.',
  })
export type Via = z.output<typeof Via>

export const AccountSession = z
  .object({
    id: uuid.describe('Id of the session, to end it.'),
    created_at: timestamp.describe('When the person signed in.'),
    last_used_at: timestamp.describe('When the session was last refreshed, or when the person signed in.'),
    ip: z
      .string()
      .nullable()
      .describe('Network address of the client at the last refresh or the sign-in. Null if it is unknown.'),
    user_agent: z
      .string()
      .nullable()
      .describe(
        'What the client said it is, in the header `User-Agent` of the same request: at most 300 characters, without control characters. Any client can send any text. Null if it sent none.',
      ),
    current: z.boolean().describe('True for the session of this request.'),
  })
  .meta({ id: 'AccountSession', description: 'One sign-in of a person that has not ended.' })
export type AccountSession = z.output<typeof AccountSession>

export const InvitationPreview = z
  .object({
    organization: z.string().describe('Name of the organization.'),
    role: oneOf(roles).describe('Role that the person will have.'),
    read_only: z.boolean().describe('Whether the person will see what the role sees and change nothing.'),
    invited_by: z
      .string()
      .nullable()
      .describe('Name of the person who sent the invitation. Null if the person has no name or was removed.'),
    email: z.string().meta({ format: 'idn-email' }).describe('Address that was invited.'),
    expires_at: timestamp.describe('When the invitation expires.'),
  })
  .meta({ id: 'InvitationPreview', description: 'What an invitation offers.' })
export type InvitationPreview = z.output<typeof InvitationPreview>

export const SignInProvider = z
  .object({
    type: oneOf(['password', 'google', 'saml']).describe('Way to sign in.'),
    provider: z.string().optional().describe('`saml.` and the provider id, for the sign-in route. Only for `saml`.'),
  })
  .meta({ id: 'SignInProvider', description: 'One way to sign in.' })
export type SignInProvider = z.output<typeof SignInProvider>

const password = text({ min: 1 }).describe('Password of the account.')
const newPassword = password.describe(
  'The new password: 10 to 256 characters. Common passwords, and passwords made of the name or address, are refused.',
)
const otp = text({ min: 1, max: 100 })
const token = text({ min: 1, max: 500 })
const refreshToken = token
  .optional()
  .describe('The latest refresh token of the session. Required without the header `Mandate-Session`.')
// Accepts NUL, because the server removes all control characters from the name later.
const displayName = z
  .string()
  .max(10_000, 'must be at most 10000 characters')
  .refine((value) => value.isWellFormed(), { error: 'must not contain unpaired surrogates' })
// The size limit of the whole body applies before this limit. If the body is too large, the browser is redirected to the sign-in page with
// an error.
const samlResponse = z.string().max(307_200, 'must be at most 307200 characters')

const tag = 'Sign-in'
const providerParams = z.object({
  provider_id: text({ min: 1, max: 200 }).describe(
    "Provider id of the tenant's SAML sign-in, without the prefix `saml.`.",
  ),
})

export const authEndpoints = {
  register: endpoint({
    method: 'POST',
    path: '/auth/register',
    tag,
    summary: 'Create a tenant and become its owner',
    description:
      'A new tenant has the plan `free`, the governance gate `alert` and the environments `production` and `development`. 409 for an address that has a user.',
    access: anyone,
    body: z.object({
      email,
      password: newPassword,
      display_name: displayName
        .optional()
        .describe('Name to show, at most 200 characters once cleaned. Empty if it is left out.'),
      organization: name({ max: 200 }).describe('Name of the new tenant, trimmed, 1 to 200 characters.'),
    }),
    answers: {
      201: z.object({
        tenant: Tenant.describe('The tenant that was created.'),
        user: User.describe('The owner of the new tenant.'),
        session: Session.describe('A session of that owner.'),
      }),
    },
    errors: [400, 403, 409, 502],
    cookieSession: 'opens',
  }),
  signIn: endpoint({
    method: 'POST',
    path: '/auth/sign-in',
    tag,
    summary: 'Sign in with address and password',
    access: anyone,
    description:
      'A wrong address and a wrong password get the same 401. After ten attempts with one address in five minutes the answer is 429, unless the browser has signed in with this address before (cookie `mandate_device`). If the password was right, a link to `{PUBLIC_URL}/sign-in?token=…` goes to the address. Its token is sent as `mail_token`, together with the password.',
    body: z.object({
      email,
      password,
      otp: otp
        .optional()
        .describe(
          'One-time password or recovery code. Required for an account with a second factor: without it the answer is 401 with the code `mfa_required`.',
        ),
      mail_token: token.optional().describe('Token of the link that was mailed after too many attempts.'),
    }),
    answers: { 200: SignedIn },
    errors: [400, 401, 403, 502],
    codes: ['mfa_required'],
    cookieSession: 'opens',
  }),
  refresh: endpoint({
    method: 'POST',
    path: '/auth/refresh',
    tag,
    summary: 'Exchange a refresh token for a new session',
    description:
      'Each refresh token works once. A refresh token that is sent again ends all sessions that came from the same sign-in. A token in the cookie may be sent again for ten seconds, because several tabs of a browser may refresh at the same time. 401 removes the cookie.',
    access: anyone,
    cookieSession: 'accepts',
    body: z.object({ refresh_token: refreshToken }),
    bodyOptional: true,
    answers: {
      200: z.object({
        session: Session.describe('The new session. Its refresh token replaces the one that was sent.'),
      }),
    },
    errors: [400, 401, 403],
  }),
  exchange: endpoint({
    method: 'POST',
    path: '/auth/exchange',
    tag,
    summary: 'Exchange the code of a Google or SAML sign-in for a session',
    description:
      'The code is in the address `{PUBLIC_URL}/sign-in/complete?code=…`. It works once, for one minute, and only in the browser that started the sign-in.',
    access: anyone,
    body: z.object({ code: token.describe('Code of the sign-in, from the address the browser was sent to.') }),
    answers: { 200: SignedIn },
    errors: [400, 401, 403],
    cookieSession: 'opens',
  }),
  signOut: endpoint({
    method: 'POST',
    path: '/auth/sign-out',
    tag,
    summary: 'End a session of the caller',
    description:
      'Ends the session that the refresh token belongs to. Its access token expires by itself. A request with the session cookie needs no access token, and the answer removes the cookie, also if the session has ended.',
    access: personally,
    cookieSession: 'accepts',
    body: z.object({ refresh_token: refreshToken }),
    bodyOptional: true,
    answers: { 204: null },
    errors: [400, 403],
  }),
  listSessions: endpoint({
    method: 'GET',
    path: '/auth/sessions',
    tag,
    summary: 'List the sessions of the caller',
    description:
      'Returns the sessions of the account of the caller that have not ended, newest use first. The list has at most 100 sessions. If the account has more, end some of them to see the others.',
    access: personally,
    liveSession: true,
    answers: { 200: z.object({ data: z.array(AccountSession).describe('Sessions of the account, at most 100.') }) },
    errors: [403],
  }),
  revokeSession: endpoint({
    method: 'DELETE',
    path: '/auth/sessions/{session_id}',
    tag,
    summary: 'End one session of the caller',
    description:
      'The refresh token of the session stops working at once. Its access token can still read until it expires, for at most 15 minutes, as after a sign-out. The session of this request may be ended too. 404 for a session of another account and for a session that has ended.',
    access: personally,
    liveSession: true,
    params: z.object({ session_id: uuid.describe('Id of the session.') }),
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  getSession: endpoint({
    method: 'GET',
    path: '/auth/session',
    tag,
    summary: 'Read who the caller is',
    description:
      'Returns the user, the tenant, and whether the request comes from a session or an API key. An API key may call it with any scopes.',
    access: { ...anyUser, anyScope: true },
    query: z.object({ include: include(['may', 'seats'], `${includeTexts.may} ${includeTexts.seats}`) }),
    answers: {
      200: z.object({
        user: User.describe('The user. For an API key: the user who created it.'),
        tenant: Tenant.describe('The tenant of the user.'),
        via: Via.describe('The session or API key of the request.'),
        email_verified: z.boolean().describe('False until the address of the user was verified by a mailed link.'),
        contacts: z
          .array(z.string())
          .max(3)
          .optional()
          .describe(
            'Names of up to three owners, whom a learner can ask for more access. Owners without a name are left out. Only for learners.',
          ),
        ...mayFields,
      }),
    },
    errors: [400, 403, 404],
  }),
  listProviders: endpoint({
    method: 'GET',
    path: '/auth/providers',
    tag,
    summary: 'List the ways to sign in',
    description: 'The answer depends only on the domain of the address. It never says whether the address is known.',
    access: anyone,
    query: z.object({
      email: email.optional().describe('Address of the person who wants to sign in. Without it SAML is left out.'),
    }),
    answers: {
      200: z.object({ providers: z.array(SignInProvider).describe('Ways to sign in, with `password` first.') }),
    },
    errors: [400],
  }),
  acceptInvitation: endpoint({
    method: 'POST',
    path: '/auth/invitations/accept',
    tag,
    summary: 'Accept an invitation',
    description:
      'A new address chooses its password. An address that has an account proves it with its password (and `otp`), or with its own access token. An account whose address was never verified is replaced, and loses the address. 410 for a token that was used or has expired.',
    access: anyone,
    body: z.object({
      token: token.describe('Token of the mailed invitation link. It works once, for 7 days.'),
      password: password
        .optional()
        .describe('A new password, or the password of the account that the address has. 10 to 256 characters.'),
      otp: otp.optional().describe('One-time password or recovery code, for an account with a second factor.'),
      display_name: displayName.optional().describe('Name to show, at most 200 characters once cleaned.'),
    }),
    answers: { 200: SignedIn },
    errors: [400, 403, 409, 410, 502],
    codes: ['owner_elsewhere', 'user_elsewhere', 'mfa_required'],
    cookieSession: 'opens',
  }),
  previewInvitation: endpoint({
    method: 'POST',
    path: '/auth/invitations/preview',
    tag,
    summary: 'Read what an invitation offers',
    description:
      'For the person who has the token of the mailed link, before they accept. Nothing is changed, and the invitation can still be accepted. 410 in the same cases as for the acceptance. The answer does not say whether the address has an account.',
    access: anyone,
    body: z.object({ token: token.describe('Token of the mailed invitation link.') }),
    answers: { 200: InvitationPreview },
    errors: [400, 410],
  }),
  forgotPassword: endpoint({
    method: 'POST',
    path: '/auth/password/forgot',
    tag,
    summary: 'Ask for a link to choose a new password',
    description: 'The answer and its time are the same for known and unknown addresses. The link works once.',
    access: anyone,
    body: z.object({ email: email.describe('Address of the account.') }),
    answers: { 202: z.object({ message: z.string().describe('Text for the person who asked.') }) },
    errors: [400],
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/auth/password/reset',
    tag,
    summary: 'Set a new password by a mailed link',
    description: 'Every session of the account ends. 410 for a token that was used or has expired.',
    access: anyone,
    body: z.object({ token: token.describe('Token of the mailed link.'), password: newPassword }),
    answers: { 204: null },
    errors: [400, 410, 502],
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/auth/password/change',
    tag,
    summary: 'Change the password',
    description:
      'Needs the current password. All other sessions of the account end. 409 for an account without a password.',
    access: personally,
    liveSession: true,
    body: z.object({
      current_password: password.describe('The current password. A wrong one is 403 with the code `wrong_password`.'),
      password: newPassword,
    }),
    answers: { 204: null },
    errors: [400, 403, 409, 502],
    codes: ['wrong_password'],
  }),
  verifyEmail: endpoint({
    method: 'POST',
    path: '/auth/email/verify',
    tag,
    summary: 'Verify the address of the account',
    description:
      'Takes the token of the link `{PUBLIC_URL}/verify-email?token=…`, which was mailed to the registered address. It works once, for 24 hours.',
    access: personally,
    liveSession: true,
    body: z.object({ token: token.describe('Token of the mailed link.') }),
    answers: { 204: null },
    errors: [400, 403, 410, 502],
  }),
  requestVerification: endpoint({
    method: 'POST',
    path: '/auth/email/verification',
    tag,
    summary: 'Mail the verification link again',
    description: 'The link goes to the address of the signed-in account. It works once, for 24 hours.',
    access: personally,
    answers: { 202: z.object({ message: z.string().describe('Text for the person who asked.') }) },
    errors: [403],
  }),
  startTotp: endpoint({
    method: 'POST',
    path: '/auth/mfa/totp',
    tag,
    summary: 'Start to enrol a second factor',
    description:
      'The first factor needs the current password, or a sign-in of the last five minutes. Replacing a factor needs the current password. The factor is in force when `POST /auth/mfa/totp/confirm` gets its first code.',
    access: personally,
    liveSession: true,
    body: z.object({ password: password.optional().describe('The current password of the account.') }),
    bodyOptional: true,
    answers: {
      200: z.object({
        secret: z.string().describe('Secret of the factor in base32, for an authenticator app. It is shown once.'),
        otpauth_url: z.string().describe('The same secret as an `otpauth://` address, for a QR code.'),
      }),
    },
    errors: [400, 403, 409, 502],
    codes: ['fresh_sign_in_required'],
  }),
  confirmTotp: endpoint({
    method: 'POST',
    path: '/auth/mfa/totp/confirm',
    tag,
    summary: 'Confirm the second factor with its first code',
    description:
      'Sets `mfa_enrolled` of the user and ends all other sessions. The enrolment must have started in the last 15 minutes.',
    access: personally,
    liveSession: true,
    body: z.object({ otp: otp.describe('First code of the authenticator app.') }),
    answers: {
      200: z.object({
        recovery_codes: z
          .array(z.string())
          .describe('Codes that replace a one-time password, each once. They are shown once.'),
      }),
    },
    errors: [400, 403, 409, 502],
  }),
  startGoogle: endpoint({
    method: 'GET',
    path: '/auth/google/start',
    tag,
    summary: 'Start a Google sign-in',
    description: 'Sends the browser to Google. 404 if Google sign-in is not configured.',
    access: anyone,
    query: z.object({
      invitation: token.optional().describe('Token of an invitation to accept with the Google account.'),
    }),
    answers: { 302: null },
    errors: [400, 404],
  }),
  finishGoogle: endpoint({
    method: 'GET',
    path: '/auth/google/callback',
    tag,
    summary: 'Finish a Google sign-in',
    description:
      'Google sends the browser here. The browser goes on to `{PUBLIC_URL}/sign-in/complete?code=…`, or to `{PUBLIC_URL}/sign-in?error=…`.',
    access: anyone,
    answers: { 302: null },
    errors: [404],
  }),
  startSaml: endpoint({
    method: 'GET',
    path: '/auth/saml/{provider_id}/start',
    tag,
    summary: 'Start a SAML sign-in',
    description: 'Sends the browser to the identity provider of the tenant. 404 if no tenant has this provider.',
    access: anyone,
    params: providerParams,
    answers: { 302: null },
    errors: [400, 404],
  }),
  finishSaml: endpoint({
    method: 'POST',
    path: '/auth/saml/{provider_id}/acs',
    tag,
    summary: 'Finish a SAML sign-in',
    description:
      'The identity provider posts its response here. The browser goes on to `{PUBLIC_URL}/sign-in/complete?code=…`, or to `{PUBLIC_URL}/sign-in?error=…`.',
    access: anyone,
    params: providerParams,
    body: z.object({
      SAMLResponse: samlResponse.describe('SAML response of the identity provider, base64.'),
      RelayState: z
        .string()
        .max(1024, 'must be at most 1024 characters')
        .optional()
        .describe('Value that ties the response to the browser that started the sign-in.'),
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
    summary: 'Read the SAML metadata of Mandate',
    description:
      'XML for the administrator of the identity provider: entity id, address of the assertion consumer service, certificate.',
    access: anyone,
    params: providerParams,
    answers: { 200: z.string() },
    produces: 'application/xml',
    errors: [400, 404],
  }),
}
