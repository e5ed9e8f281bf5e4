import { expect, it } from 'vitest'
import { gateChange } from './gate.ts'

const agents = (proposed: number) => [{ key: 'proposed', name: 'proposed', count: proposed }]

it('a change of the gate says how many agents it concerns at once', () => {
  expect(gateChange('enforce', agents(2))).toMatch(
    /^2\u00a0agents are not approved\. Each of their calls is denied at once\./,
  )
  expect(gateChange('off', agents(1))).toMatch(/^1\u00a0agent is not approved\. It may act without an approval\./)
  expect(gateChange('enforce', [])).toMatch(/^No agent waits for an approval\./)
})
