import { expect, it } from 'vitest'
import { userFields } from './show-user.ts'

it.each([
  [{ factors: ['totp'], federated: false }, 'totp'],
  [{ factors: ['totp'], federated: true }, 'totp'],
  [{ factors: [], federated: true }, 'by sign-in provider'],
  [{ factors: [], federated: false }, 'none'],
])('users show: the second factor of %j is %s', (user, text) => {
  const field = userFields.find(({ title }) => title === 'Second factor')
  expect(field?.value(user as never)).toBe(text)
})
