import { expect, test } from 'vitest'
import { governanceModeOf } from './governance-mode.ts'

test.each([
  ['inherit', 'enforce', 'enforce'],
  ['inherit', 'monitor', 'monitor'],
  ['enforce', 'monitor', 'enforce'],
  ['monitor', 'enforce', 'monitor'],
] as const)('a policy on %s in an environment on %s is in %s', (override_mode, governance_mode, expected) => {
  expect(governanceModeOf({ override_mode }, { governance_mode })).toBe(expected)
})
