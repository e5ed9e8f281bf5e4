import { expect, it } from 'vitest'
import { accountSentence, factorNote } from './words.ts'

const own = { mfa_enrolled: true, federated: false }
const both = { mfa_enrolled: true, federated: true }
const provider = { mfa_enrolled: false, federated: true }
const none = { mfa_enrolled: false, federated: false }

it.each([
  [own, true, [], 'Your account has a second factor and a verified address.'],
  [both, true, [], 'Your account has a second factor and a verified address.'],
  [provider, true, [], 'Your sign-in provider may ask for a second factor, and your address is verified.'],
  [none, true, ['You have no second factor'], undefined],
  [own, false, ['Your address is not verified'], undefined],
  [provider, false, ['Your address is not verified'], undefined],
  [none, false, ['You have no second factor', 'your address is not verified'], undefined],
])('%j with a verified address (%s): wrong is %j, fine is %s', (user, isVerified, texts, fine) => {
  const sentence = accountSentence(user, isVerified)
  expect(sentence.wrong.map(({ text }) => text)).toEqual(texts)
  expect(sentence.fine).toBe(fine)
})

it('says of a person with a sign-in provider that a password alone opens the account', () => {
  expect(factorNote(provider)).toContain('it alone opens your account')
  expect(factorNote(none)).toContain('Your password alone opens your account.')
  expect(factorNote(both)).toContain('Each sign-in with your password needs a code')
  expect(factorNote(own)).not.toContain('provider')
})
