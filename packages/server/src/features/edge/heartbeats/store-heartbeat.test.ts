import { describe, expect, it } from 'vitest'
import type { NewHeartbeat } from './heartbeat-queries.ts'
import { chooseHeartbeats } from './store-heartbeat.ts'

function heartbeat(instanceId: string, agentIds: readonly string[], credentialId = 'edge'): NewHeartbeat {
  const agents = agentIds.map((id) => ({ id, policyId: null, version: null, hash: null }))
  const reach = { agentId: null, environmentId: 'environment' }
  const times = { now: '2026-01-01T00:00:00.000Z', closesAt: null, features: [] }
  return { credentialId, credentialName: 'edge', reach, instanceId, seq: 1, edgeVersion: '1', ...times, agents }
}

const chosenOf = (waiting: NewHeartbeat[]) => chooseHeartbeats(waiting).map((one) => waiting.indexOf(one))
const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `agent ${from + n}`)

describe('the heartbeats of a group', () => {
  it('are all that wait, if they are of different instances and agents', () => {
    expect(
      chosenOf([heartbeat('one', ['a']), heartbeat('two', ['b', 'c']), heartbeat('one', [], 'other edge')]),
    ).toEqual([0, 1, 2])
  })

  it('never name an agent twice', () => {
    expect(chosenOf([heartbeat('one', ['a', 'b']), heartbeat('two', ['b']), heartbeat('three', ['c'])])).toEqual([0, 2])
  })

  it('never are of one instance twice', () => {
    expect(chosenOf([heartbeat('one', ['a']), heartbeat('one', ['b']), heartbeat('two', ['c'])])).toEqual([0, 2])
  })

  it('do not overtake an earlier heartbeat about one of their agents that waits', () => {
    expect(chosenOf([heartbeat('one', ['a']), heartbeat('two', ['a', 'b']), heartbeat('three', ['b'])])).toEqual([0])
  })

  it('are at most 200, with at most 500 agents', () => {
    expect(chosenOf(many(300).map((id) => heartbeat(id, [id])))).toHaveLength(200)
    const large = Array.from({ length: 9 }, (_, n) => heartbeat(`${n}`, many(100, n * 100)))
    expect(chosenOf(large)).toEqual([0, 1, 2, 3, 4])
  })
})
