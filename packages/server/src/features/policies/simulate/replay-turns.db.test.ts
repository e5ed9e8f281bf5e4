import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApiAnswer } from '../../../testing/api-client.ts'
import { createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { startTestServer, type TestServer } from '../../../testing/start-test-server.ts'

let server: TestServer
beforeAll(async () => {
  // Enough connections for two replays at once.
  server = await startTestServer({ databasePool: 10 })
})
afterAll(() => server.stop())

let release: () => Promise<void>
beforeEach(async () => {
  const client = await server.owner.connect()
  await client.query('begin')
  await client.query('lock table decision_days in access exclusive mode')
  release = async () => {
    release = async () => {}
    await client.query('rollback')
    client.release()
  }
})
afterEach(() => release())

const waitingReplays = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  and query like '%decision_days%'`
const untilWaiting = (count: number) =>
  vi.waitFor(async () => expect((await server.owner.query(`select ${waitingReplays}`)).rowCount).toBe(count))

interface Replayer {
  tenant: TestTenant
  simulate(body?: object): Promise<ApiAnswer>
}

async function newReplayer(): Promise<Replayer> {
  const tenant = await createTenant(server)
  const { id } = (await tenant.owner.api.post('/policies', { name: 'P' })).body
  return { tenant, simulate: (body = { replay: {} }) => tenant.owner.api.post(`/policies/${id}/simulate`, body) }
}

function expectRefused(answer: ApiAnswer): void {
  expect(answer).toMatchObject({ status: 429, body: { error: 'too many requests', code: 429 } })
  expect(answer.headers.get('retry-after')).toBe('1')
}

describe('concurrent replays', () => {
  it('429 for seven of eight replays of a tenant; after one ends, the next one runs', async () => {
    const { simulate } = await newReplayer()
    const answered: ApiAnswer[] = []
    const ask = async () => answered.push(await simulate())
    const releaseTheLast = async () => {
      await vi.waitFor(() => expect(answered).toHaveLength(7))
      await release()
    }
    await Promise.all([...Array.from({ length: 8 }, ask), releaseTheLast()])
    answered.slice(0, 7).forEach(expectRefused)
    expect(answered[7]?.status).toBe(200)
    expect((await simulate()).status).toBe(200)
  })

  it('429 above the limit of the process, while other requests of the tenant succeed', async () => {
    const [first, second, third] = [await newReplayer(), await newReplayer(), await newReplayer()]
    const askMeanwhile = async () => {
      await untilWaiting(2)
      expectRefused(await third.simulate())
      expect((await third.simulate({ calls: [{ tool: 'fn:a/b' }] })).status).toBe(200)
      expect((await first.tenant.owner.api.post('/policies', { name: 'Q' })).status).toBe(201)
      await release()
    }
    const [one, other] = await Promise.all([first.simulate(), second.simulate(), askMeanwhile()])
    expect([one.status, other.status]).toEqual([200, 200])
    expect((await third.simulate()).status).toBe(200)
  })

  it('a failed replay does not block the next one', async () => {
    const { simulate } = await newReplayer()
    const cut = async () => {
      await untilWaiting(1)
      await server.owner.query(`select pg_terminate_backend(pid) ${waitingReplays}`)
    }
    const [failed] = await Promise.all([simulate(), cut()])
    expect(failed.status).toBe(503)
    await release()
    expect((await simulate()).status).toBe(200)
  })
})
