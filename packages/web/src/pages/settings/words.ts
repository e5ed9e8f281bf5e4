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
