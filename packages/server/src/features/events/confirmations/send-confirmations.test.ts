import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, it, vi } from 'vitest'
import type { Member } from '../../../authz/actor.ts'
import { createStreamMetrics } from '../../../metrics/stream-metrics.ts'
import type { Services } from '../../../services.ts'
import { EventStream } from '../stream/event-stream.ts'
import { ConfirmationSender } from './send-confirmations.ts'

function streamOf(userId: string): EventStream {
  const about = { tenantId: 't', userId, accountId: userId, sessionId: 's', key: null, accessScope: 'scoped' }
  const { events: metrics } = createStreamMetrics([new Registry()])
  const options = { types: undefined, decisions: undefined }
  return new EventStream({ kind: 'person', ...about } as Member, options, { metrics, onClosed() {} })
}

/** A database that knows some people, and cannot read for one of them. Notes who is checked and read. */
function services(people: readonly string[], failing: string) {
  const seen: string[] = []
  const named = ({ values }: { values: unknown[] }) =>
    people.filter((one) => values.some((value) => value === one || (Array.isArray(value) && value.includes(one))))
  const users = async (statement: { values: unknown[] }) => {
    const found = named(statement)
    seen.push(`check ${found}`)
    return found.map((id) => ({ user_id: id, account_id: id, role: 'member', access_scope: 'scoped' }))
  }
  const read = async (statement: { values: unknown[] }) => {
    seen.push(`read ${named(statement)}`)
    return []
  }
  const db = {
    reader: () => ({ tenantId: 't', all: users }),
    global: { all: async () => [{ id: 's' }] },
    async readSnapshot(_: string, work: (sql: object) => Promise<void>) {
      if (seen.at(-1) !== `check ${failing}`) return await work({ tenantId: 't', all: read, maybe: read })
      seen.push(`no connection for ${failing}`)
      throw new Error('no connection was free')
    },
  }
  return {
    seen,
    services: {
      db,
      events: {},
      log: pino({ level: 'silent' }),
      config: { heartbeatSeconds: 30 },
    } as unknown as Services,
  }
}

it('a viewer whose read fails does not keep events from the others, and callers are checked before each read', async () => {
  const { seen, services: given } = services(['zoe', 'ann', 'bob'], 'ann')
  const sender = new ConfirmationSender(given, 't')
  // The first one starts a pass. The next pass is for the other two.
  const streams = ['zoe', 'ann', 'bob'].map(streamOf)
  const details = { named: [{ freezeId: 'f', credentialId: 'c', instanceId: 'i' }], freezes: { f: 0 } }
  for (const stream of streams) sender.add(stream, { id: 'row', details } as never)
  await vi.waitFor(() => expect(seen).toContain('read bob'), { timeout: 60_000 })
  expect(seen.slice(0, 6)).toEqual([
    'check zoe',
    'read zoe',
    'check ann',
    'no connection for ann',
    'check bob',
    'read bob',
  ])
  for (const stream of streams) stream.response.destroy()
})
