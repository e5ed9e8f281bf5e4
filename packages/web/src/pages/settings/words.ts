import type { Schema } from '@mandate/sdk'
import type { Clause } from '../../ui/texts/sentence.tsx'

type User = Pick<Schema<'User'>, 'mfa_enrolled' | 'federated'>

/** The sentence of the page. `wrong` says what the account of the signed-in person lacks. `fine` is set if it lacks nothing. */
export function accountSentence(user: User, isVerified: boolean): { wrong: Clause[]; fine?: string } {
  const there = { to: '/settings', search: { tab: 'account' } }
  const wrong: Clause[] = []
  if (!user.mfa_enrolled && !user.federated) wrong.push({ text: 'You have no second factor', tone: 'deny', ...there })
  if (!isVerified)
    wrong.push({ text: `${wrong.length > 0 ? 'your' : 'Your'} address is not verified`, tone: 'hold', ...there })
  if (wrong.length > 0) return { wrong }
  const fine = user.mfa_enrolled
    ? 'Your account has a second factor and a verified address.'
    : 'Your sign-in provider may ask for a second factor, and your address is verified.'
  return { wrong, fine }
}

/** Says what the signed-in person needs for a sign-in. */
export function factorNote({ mfa_enrolled, federated }: User): string {
  if (mfa_enrolled && federated)
    return 'Each sign-in with your password needs a code of your authenticator app, or a recovery code. Your sign-in provider may ask for a second factor itself.'
  if (mfa_enrolled) return 'Each sign-in needs a code of your authenticator app, or a recovery code.'
  if (federated)
    return 'Your sign-in provider may ask for a second factor. If you have a password here too, it alone opens your account, unless you set up an authenticator app.'
  return 'Your password alone opens your account. An authenticator app on your phone gives a code for each sign-in.'
}

type Marks = readonly (readonly [name: string, mark: RegExp])[]

/** Browsers by the mark in their user agents. The order matters: most browsers also say that they are Chrome, and nearly all that they are Safari. */
const browsers: Marks = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/\d/],
  ['Opera', /\b(?:OPR|OPT|Opera)\/\d/],
  ['Samsung Internet', /\bSamsungBrowser\/\d/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/\d/],
  ['Chrome', /(?:Chrome|\bCriOS)\/\d/],
  ['Safari', /\bSafari\/\d/],
]

/** The order matters here too: an iPhone says that it is like Mac OS X, and Android that it is Linux. */
const systems: Marks = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
]

/** The browser and the system that a client says it is. Another program keeps its own words. */
export function browserOf(userAgent: string | null): string {
  if (userAgent === null) return 'not known'
  const nameIn = (marks: Marks) => marks.find(([, mark]) => mark.test(userAgent))?.[0]
  const browser = nameIn(browsers)
  const system = nameIn(systems)
  if (!browser) return userAgent.slice(0, 60)
  return system ? `${browser} on ${system}` : browser
}
