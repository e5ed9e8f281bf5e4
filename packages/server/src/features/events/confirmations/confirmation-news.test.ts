import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { Member } from '../../../authz/actor.ts'
import { createStreamMetrics } from '../../../metrics/stream-metrics.ts'
import { EventStream } from '../stream/event-stream.ts'
import { newsOf } from './confirmation-news.ts'

const actor = { kind: 'person', tenantId: 't', userId: 'u', key: null } as Member
const at = '2026-01-01T00:00:00.000Z'
const stored = (freezeId: string) => ({
  named: [{ freezeId, credentialId: 'c', instanceId: 'i' }],
  freezes: { [freezeId]: 0 },
})

/** Counts of a database that fails for the freezes in `failing`. */
function readerOf(failing: Set<string>) {
  return {
    async confirmations(wanted: readonly { eventId: string; freezeId: string }[]) {
      return wanted.map((one, index) => ({ ...one, place: index + 1 }) as never)
    },
    async progress(freezeId: string) {
      if (failing.has(freezeId)) throw new Error('the database is away')
      return { freezeId, drill: false, agentId: null, environmentId: null, confirmed: 1, total: 1 }
    },
  }
}

it('sends the last state of a freeze after a read that failed for another freeze', async () => {
  const { events: metrics } = createStreamMetrics([new Registry()])
  const stream = new EventStream(actor, { types: undefined, decisions: undefined }, { metrics, onClosed() {} })
  const longAgo = performance.now() - 10_000
  stream.confirmations.add('1', stored('f'), longAgo)
  stream.confirmations.add('2', stored('g'), longAgo)
  const failing = new Set(['g'])
  const reader = readerOf(failing)
  await expect(newsOf({ stream, actor }, reader, at)).rejects.toThrow('the database is away')
  failing.clear()
  const texts: string[] = []
  while (stream.confirmations.hasNews) {
    texts.push(...(await newsOf({ stream, actor }, reader, at)))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(texts.map((text) => text.match(/^event: (.*)$/m)?.[1])).toEqual(['freeze.progress', 'freeze.progress'])
})
