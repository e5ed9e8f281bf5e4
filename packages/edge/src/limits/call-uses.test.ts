import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compilePolicy } from '@mandate/policy/evaluate'
import type { Rule } from '@mandate/policy/types'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { CallUses } from './call-uses.ts'
import { RuleUseCounts } from './rule-use-counts.ts'

const rule: Rule = {
  id: 'r1',
  name: 'mail',
  priority: 1,
  enabled: true,
  effect: 'allow',
  match: { tools: ['*'], when: [] },
  reason: '',
  limit: { count: 2, window_s: 3600 },
}
const policy = compilePolicy({ default_effect: 'deny', rules: [rule] })

/** Two edges of one state folder. `use` is a call at an edge. */
async function twoEdges() {
  const shared = await mkdtemp(join(tmpdir(), 'mandate-uses-'))
  const edges = [0, 1].map(
    () => new RuleUseCounts(shared, { now: Date.now, log: pino({ level: 'silent' }), isSynced: false }),
  ) as [RuleUseCounts, RuleUseCounts]
  onTestFinished(async () => {
    for (const edge of edges) edge.close()
    await rm(shared, { recursive: true, force: true })
  })
  return { edges, shared, callAt: (edge: RuleUseCounts) => new CallUses(edge, 'agent', policy) }
}

it('a count from before, which another edge has changed, is found out when the use is counted', async () => {
  const { edges, callAt } = await twoEdges()
  const [here, other] = edges
  expect([callAt(here).take(['r1']), callAt(other).take(['r1'])]).toEqual([true, true])
  const call = callAt(here)
  expect([call.get('r1'), call.take(['r1']), call.get('r1')]).toEqual([1, false, 2])
})

it('and it is found out when the call is not counted', async () => {
  const { edges, callAt } = await twoEdges()
  const [here, other] = edges
  callAt(here).take(['r1'])
  const early = callAt(here)
  expect([early.get('r1'), early.confirm(), early.get('r1')]).toEqual([1, true, 1])
  callAt(other).take(['r1'])
  const late = callAt(here)
  expect([late.get('r1'), late.confirm(), late.get('r1')]).toEqual([1, false, 2])
})

it('a count that was at its limit is read again', async () => {
  const { edges, callAt } = await twoEdges()
  const [here] = edges
  callAt(here).take(['r1'])
  const second = callAt(here)
  second.take(['r1'])
  expect(callAt(here).get('r1')).toBe(2)
  second.release()
  expect(callAt(here).get('r1')).toBe(1)
})

it('a count that cannot be read any more is not known', async () => {
  const { edges, shared, callAt } = await twoEdges()
  const [here] = edges
  callAt(here).take(['r1'])
  await rm(join(shared, 'limits'), { recursive: true })
  const call = callAt(here)
  expect([call.get('r1'), call.confirm(), call.get('r1')]).toEqual([1, false, undefined])
  const next = callAt(here)
  expect([next.take(['r1']), next.get('r1')]).toEqual([false, undefined])
})
