import { maxFreezes } from '@mandate/contract/overview'
import { expect, it } from 'vitest'
import { freezeEffect, otherFreezes } from './freeze-effect.ts'

it('says in numbers what a freeze would do', () => {
  const preview = { agents: 2, edges: 3, silent: 1, approvals: 1 }
  expect(freezeEffect(preview, { drill: false })).toBe(
    '2\u00a0agents are denied every call. 1\u00a0waiting call expires. 3\u00a0edges have to confirm. 1\u00a0of them is silent.',
  )
  expect(freezeEffect(preview, { drill: true })).toBe(
    '3\u00a0edges have to confirm. 1\u00a0of them is silent. No call is denied.',
  )
})

it('says so if nothing would be stopped', () => {
  expect(freezeEffect({ agents: 0, edges: 0, silent: 0, approvals: 0 }, { drill: false })).toBe(
    'There is no agent to stop. No edge has to confirm.',
  )
})

it('says that there may be more freezes than the overview has', () => {
  expect([1, 2, maxFreezes - 1, maxFreezes].map(otherFreezes)).toEqual([
    '',
    ' 1\u00a0other freeze is active.',
    ' 3\u00a0other freezes are active.',
    ' 4+\u00a0other freezes are active.',
  ])
})
