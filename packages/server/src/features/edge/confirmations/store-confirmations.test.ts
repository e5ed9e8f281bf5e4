import { describe, expect, it } from 'vitest'
import { type ConfirmationRequest, chooseConfirmations } from './store-confirmations.ts'

const at = '2026-01-01T00:00:00.000Z'

function request(instanceId: string, { kid = null as string | null, count = 1, credentialId = 'edge' } = {}) {
  const reach = { agentId: null, environmentId: 'environment' }
  const said = Array.from({ length: count }, (_, index) => ({ index, said: { freeze_id: `${index}`, at } }))
  const sender = { credentialId, instanceId, reach, kid, signature: kid, now: at, silentBefore: at }
  return { sender, said }
}

const chosenOf = (waiting: ConfirmationRequest[]) => chooseConfirmations(waiting).map((one) => waiting.indexOf(one))

describe('the confirmations of a group', () => {
  it('are all that wait, if they are of different instances and keys', () => {
    const waiting = [request('a', { kid: 'x' }), request('b', { kid: 'y' }), request('c'), request('d')]
    expect(chosenOf([...waiting, request('a', { credentialId: 'other edge' })])).toEqual([0, 1, 2, 3, 4])
  })

  it('never have two requests of one instance, or with one key', () => {
    expect(chosenOf([request('a'), request('a', { kid: 'x' }), request('b')])).toEqual([0, 2])
    expect(chosenOf([request('a', { kid: 'x' }), request('b', { kid: 'x' }), request('c')])).toEqual([0, 2])
  })

  it('do not overtake an earlier request with one of their names that waits', () => {
    const waiting = [request('a', { kid: 'x' }), request('b', { kid: 'x' }), request('b', { kid: 'y' }), request('c')]
    expect(chosenOf(waiting)).toEqual([0, 3])
  })

  it('are at most 200 requests with at most 500 confirmations', () => {
    expect(chosenOf(Array.from({ length: 300 }, (_, n) => request(`${n}`)))).toHaveLength(200)
    expect(chosenOf(Array.from({ length: 9 }, (_, n) => request(`${n}`, { count: 100 })))).toHaveLength(5)
    expect(chosenOf([request('a', { count: 501 }), request('b')])).toEqual([0])
  })
})
