import { expect, it } from 'vitest'
import { roleText } from '../output/role-text.ts'
import { userFields } from './show-user.ts'

it.each([
  [{ role: 'manager', academy_only: false, read_only: true }, 'manager (read-only)'],
  [{ role: 'viewer', academy_only: true, read_only: true }, 'learner (read-only)'],
  [{ role: 'owner', academy_only: false, read_only: false }, 'owner'],
] as const)('users show: the role of %j is %s', (user, text) => {
  expect(roleText(user)).toBe(text)
})

it.each([
  [{ factors: ['totp'], federated: false }, 'totp'],
  [{ factors: ['totp'], federated: true }, 'totp'],
  [{ factors: [], federated: true }, 'by sign-in provider'],
  [{ factors: [], federated: false }, 'none'],
])('users show: the second factor of %j is %s', (user, text) => {
  const field = userFields.find(({ title }) => title === 'Second factor')
  expect(field?.value(user as never)).toBe(text)
})
