import { expect, test } from 'vitest'
import { passes } from './guard.ts'

test.each([
  ['allow', true, true],
  ['deny', true, false],
  ['require_approval', true, false],
  ['deny', false, true],
  ['require_approval', false, true],
] as const)('%s, enforced %s: the call passes: %s', (verdict, enforced, expected) => {
  expect(passes({ verdict, enforced })).toBe(expected)
})
