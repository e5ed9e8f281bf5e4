import { z } from 'zod'
import { anyone } from './access.ts'
import { endpoint } from './endpoint.ts'

const tag = 'Pages'

/** An HTML page that is the same for everyone. The server ignores the query, for example the token of a mailed link. */
const page = (path: string, summary: string, description: string) =>
  endpoint({
    method: 'GET',
    path,
    absolute: true,
    tag,
    summary,
    description: `${description} The page is the same for everyone and does not use the query.`,
    access: anyone,
    answers: { 200: z.string() },
    errors: [],
    produces: 'text/html',
  })

export const pageEndpoints = {
  readHomePage: page('/', 'Open the start page', 'Says what this server is and where its documentation is.'),
  readGettingStarted: endpoint({
    method: 'GET',
    path: '/getting-started',
    absolute: true,
    tag,
    summary: 'Read the first steps',
    description: 'The text of `docs/getting-started.md`, as Markdown.',
    access: anyone,
    answers: { 200: z.string() },
    errors: [],
    produces: 'text/plain',
  }),
  readJoinPage: page('/join', 'Open the link of an invitation', 'Says how to accept the invitation.'),
  readVerifyEmailPage: page(
    '/verify-email',
    'Open the link that proves an address',
    'Says how to prove the address with the link.',
  ),
  readResetPasswordPage: page(
    '/reset-password',
    'Open the link for a new password',
    'Says how to choose a new password with the link.',
  ),
  readForgotPasswordPage: page(
    '/forgot-password',
    'Open the page for a forgotten password',
    'Says how to get a link for a new password.',
  ),
  readSignInPage: page(
    '/sign-in',
    'Open the page for signing in',
    'Says how to sign in, also with a mailed link, and what the reason of a failed sign-in means.',
  ),
  readSignInCompletePage: page(
    '/sign-in/complete',
    'Open the page at the end of a Google or SAML sign-in',
    'Says how the sign-in is completed.',
  ),
}
