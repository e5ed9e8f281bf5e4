import { expect, test, vi } from 'vitest'
import { withOwner } from '../invariants/find-broken.ts'
import { callApi, register } from './call-api.ts'
import { dataFolder, startMandate } from './mandate-process.ts'

const agents = 60_000

const fill = `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, created_at, updated_at)
  select $1, uuidv7(), 'agent ' || n, 'active', 'github', 'governed', 'approved', now(), now() from generate_series(1, $2::int) n`

test('kill -9 of the server while it makes a report: the next start completes the report', {
  tags: ['long'],
}, async () => {
  const settings = { DATA_DIR: await dataFolder() }
  const server = await startMandate(settings)
  const { tenantId, credential } = await register(server)
  await withOwner(server.dataDir, (client) => client.query(fill, [tenantId, agents]))
  const asked = await callApi(server, 'POST', '/reports', { body: {}, credential })
  expect(asked.status).toBe(202)
  const read = async (at: { url: string }) =>
    (await callApi(at, 'GET', `/reports/${asked.body.id}`, { credential })).body
  const progress: number[] = []
  await vi.waitFor(
    async () => {
      const report = await read(server)
      expect(report.status).toBe('running')
      expect(report.progress).toBeGreaterThan(0)
      progress.push(report.progress)
    },
    { timeout: 60_000, interval: 50 },
  )
  process.kill(server.pid, 'SIGKILL')
  await server.ended
  expect(progress[0]).toBeLessThan(1)
  const next = await startMandate(settings)
  expect((await read(next)).status).toBe('running')
  await vi.waitFor(async () => expect((await read(next)).status).toBe('ready'), { timeout: 60_000, interval: 250 })
  expect(await read(next)).toMatchObject({ progress: 1, snapshot: { counts: { agents } } })
  expect(await next.stop()).toMatchObject({ code: 0 })
})
