import type { Session } from '../auth.ts'
import type { Examples } from './example.ts'
import { ids } from './ids.ts'
import { owner, user } from './people.ts'
import { tenant } from './tenants.ts'

const session: Session = {
  access_token: 'an access token',
  refresh_token: 'a refresh token',
  token_type: 'Bearer',
  expires_in: 900,
}

export const authExamples: Examples = {
  register: {
    request: {
      email: 'grace@example.com',
      password: 'correct horse battery staple',
      display_name: 'Grace Hopper',
      organization: 'Analytical Engines',
    },
    response: { tenant: { ...tenant, plan: 'free' }, user: { ...owner, mfa_enrolled: false }, session },
  },
  signIn: {
    request: { email: 'ada@example.com', password: 'correct horse battery staple', otp: '123456' },
    response: { session, user },
  },
  refresh: { request: { refresh_token: 'a refresh token' }, response: { session } },
  exchange: { request: { code: 'the code of the sign-in' }, response: { session, user } },
  signOut: { request: { refresh_token: 'a refresh token' } },
  listSessions: {
    response: {
      data: [
        {
          id: ids.session,
          created_at: '2026-03-01T08:00:00.000Z',
          last_used_at: '2026-03-02T08:15:00.000Z',
          ip: '192.0.2.10',
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
          current: true,
        },
      ],
    },
  },
  getSession: {
    response: {
      user,
      tenant,
      via: {
        type: 'api_key',
        id: ids.apiKey,
        prefix: 'mk_0a1b2',
        environment: { id: ids.development, name: 'Development', slug: 'development' },
        scopes: ['agents:read'],
      },
      email_verified: true,
    },
  },
  listProviders: { response: { providers: [{ type: 'password' }, { type: 'saml', provider: 'saml.engines' }] } },
  acceptInvitation: {
    request: {
      token: 'the token of the invitation',
      password: 'correct horse battery staple',
      otp: '123456',
      display_name: 'Charles Babbage',
    },
    response: { session, user },
  },
  previewInvitation: {
    request: { token: 'the token of the invitation' },
    response: {
      organization: 'Analytical Engines',
      role: 'member',
      read_only: false,
      invited_by: 'Grace Hopper',
      email: 'charles@example.com',
      expires_at: '2026-03-09T08:00:00.000Z',
    },
  },
  forgotPassword: {
    request: { email: 'ada@example.com' },
    response: { message: 'If the address has an account, a link to choose a new password is on its way.' },
  },
  resetPassword: { request: { token: 'the token of the link', password: 'correct horse battery staple' } },
  changePassword: {
    request: { current_password: 'correct horse battery staple', password: 'a longer battery staple' },
  },
  verifyEmail: { request: { token: 'the token of the link' } },
  requestVerification: {
    response: { message: 'Unless your address is confirmed, a link to confirm it is on its way.' },
  },
  startTotp: {
    request: { password: 'correct horse battery staple' },
    response: {
      secret: 'JBSWY3DPEHPK3PXP',
      otpauth_url: 'otpauth://totp/Mandate:ada@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Mandate',
    },
  },
  confirmTotp: {
    request: { otp: '123456' },
    response: { recovery_codes: ['0123-4567-89AB-CDEF', 'GHJK-MNPQ-RSTV-WXYZ'] },
  },
  finishSaml: { request: { SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlLz4=', RelayState: 'the state of the sign-in' } },
}
