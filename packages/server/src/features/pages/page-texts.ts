/** A part of a page: a paragraph, or commands to copy. */
export type Part = string | { commands: string }

export interface Page {
  title: string
  parts: Part[]
}

const commands = (...lines: string[]): Part => ({ commands: lines.join('\n') })

/**
 * A curl command that reads its body from standard input. If the body were an argument, the machine's process list would show it.
 */
const post = (publicUrl: string, path: string, body: string): Part =>
  commands(`curl ${publicUrl}/api/v1${path} -H 'Content-Type: application/json' -d @- <<'END'`, body, 'END')

const whereTheTokenIs = 'TOKEN is the part of this page’s address after “token=”. It is a secret: do not pass it on.'

/** The page that the link in an invitation mail opens. */
export const joinPage = (publicUrl: string): Page => ({
  title: 'Accept the invitation',
  parts: [
    'You were invited to an organization. To join, choose a password and run this command:',
    post(
      publicUrl,
      '/auth/invitations/accept',
      '{"token": "TOKEN", "password": "A LONG PASS PHRASE", "display_name": "YOUR NAME"}',
    ),
    whereTheTokenIs,
    'The answer has your user and a session. 410 means that the link was used, was replaced by a later one, or has expired. Then ask for another invitation.',
    'After that, sign in on the command line:',
    commands(`mandate login --url ${publicUrl}`),
  ],
})

/** The page that the link in a verification mail opens. The link verifies the address of an account. */
export const verifyEmailPage = (publicUrl: string): Page => ({
  title: 'Prove your address',
  parts: [
    'Sign in to the account that you registered, and give the command the whole link of the mail:',
    commands(`mandate login --url ${publicUrl}`, "mandate email verify '<link>'"),
    'If you did not register, do nothing: nothing is proved until someone who is signed in to the account uses the link.',
    'If the link was used or has expired, this mails another one:',
    commands('mandate email resend'),
  ],
})

/** The page that the link in a password-reset mail opens. */
export const resetPasswordPage = (publicUrl: string): Page => ({
  title: 'Choose a new password',
  parts: [
    'Run this command with your new password:',
    post(publicUrl, '/auth/password/reset', '{"token": "TOKEN", "password": "A NEW LONG PASS PHRASE"}'),
    whereTheTokenIs,
    'No answer text means that it is done; every session of the account has ended. If the link was used or has expired, ask for another one:',
    forgotPassword(publicUrl),
  ],
})

const forgotPassword = (publicUrl: string): Part =>
  post(publicUrl, '/auth/password/forgot', '{"email": "YOU@EXAMPLE.COM"}')

/** The page that mailed notices link to. */
export const forgotPasswordPage = (publicUrl: string): Page => ({
  title: 'Get a link for a new password',
  parts: [
    'Run this command with your address. If an account has the address, a mail with a link goes to it. The answer is the same if none has.',
    forgotPassword(publicUrl),
  ],
})

/**
 * The page that a mailed sign-in link opens. A browser is also sent to this page after a sign-in with Google or SAML has
 * failed.
 */
export const signInPage = (publicUrl: string): Page => ({
  title: 'Sign in',
  parts: [
    'Sign in on the command line:',
    commands(`mandate login --url ${publicUrl}`),
    'If a mailed link brought you here, give the command the whole link:',
    commands(`mandate login --url ${publicUrl} --mail-token '<link>'`),
    'If a sign-in with Google or your organization’s provider brought you here, the address of this page ends with the reason why it failed:',
    commands(
      'refused                the provider’s answer was not accepted; try again, or ask an owner of your organization',
      'unavailable            the provider did not answer; try again later',
      'no_account             no account has your address: ask for an invitation',
      'address_not_verified   the provider has not verified your address, or it was never proved here',
      'domain_not_served      your organization’s provider does not speak for your address',
      'seat_limit_reached     your organization has no free seat: ask an owner',
      'invitation_expired     ask for another invitation',
      'owner_elsewhere        your address owns another organization',
      'user_elsewhere         your address is in use in another organization',
    ),
  ],
})

/** The page at the end of a Google or SAML sign-in. */
export const signInCompletePage = (publicUrl: string): Page => ({
  title: 'Your provider has signed you in',
  parts: [
    'This server has no dashboard yet that could take over from here. A program in this browser completes the sign-in within a minute: it posts the code of this page’s address to',
    commands(`${publicUrl}/api/v1/auth/exchange`),
    'with the cookie of this browser. The code works once and nowhere else.',
  ],
})

/** The start page. */
export const homePage = (publicUrl: string): Page => ({
  title: 'Mandate',
  parts: [
    'This is the control plane of Mandate. It governs AI agents: which agents there are, who answers for them, and what each may do.',
    'People use the command line; a dashboard does not exist yet. Sign in:',
    commands(`mandate login --url ${publicUrl}`),
  ],
})
