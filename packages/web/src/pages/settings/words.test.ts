import { expect, it } from 'vitest'
import { accountSentence, browserOf, factorNote } from './words.ts'

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

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const iPad = 'Mozilla/5.0 (iPad; CPU OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const windows = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/131.0.0.0 Safari/537.36`
const android = `Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/131.0.0.0 Mobile Safari/537.36`

it.each([
  ['Chrome on Windows', windows],
  ['Edge on Windows', `${windows} Edg/131.0.0.0`],
  ['Opera on Windows', `${windows} OPR/116.0.0.0`],
  ['Chrome on Android', android],
  ['Edge on Android', `${android} EdgA/131.0.0.0`],
  ['Samsung Internet on Android', android.replace('Chrome/', 'SamsungBrowser/27.0 Chrome/')],
  ['Firefox on Android', 'Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0'],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'],
  ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/131.0.0.0 Safari/537.36`],
  ['Chrome on ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/131.0.0.0 Safari/537.36`],
  ['Safari on macOS', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/18.1 Safari/605.1.15`],
  ['Safari on iPhone', `${iPhone} Version/17.1 Mobile/15E148 Safari/604.1`],
  ['Safari on iPad', `${iPad} Version/17.1 Mobile/15E148 Safari/604.1`],
  ['Chrome on iPhone', `${iPhone} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`],
  ['Firefox on iPhone', `${iPhone} FxiOS/133.0 Mobile/15E148 Safari/605.1.15`],
  ['Edge on iPhone', `${iPhone} Version/17.0 EdgiOS/131.0.2903.68 Mobile/15E148 Safari/604.1`],
  ['Opera on iPhone', `${iPhone} Version/17.1 Mobile/15E148 Safari/604.1 OPT/5.1.0`],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['not known', null],
])('the session list shows %s', (shown, userAgent) => expect(browserOf(userAgent)).toBe(shown))
