import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { startWorker } from '../../../jobs/start-worker.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestPerson,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addPolicy } from '../../../testing/arrange-agents.ts'
import { fillAgents } from '../../../testing/fill-agents.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { periodOf } from '../snapshot/period.ts'
import { gatherSnapshot, smallAtMost } from '../snapshot/snapshot-queries.ts'
import { leaseNext } from './job-queries.ts'
import { makeReports } from './make-reports.ts'
import { startLeaseRenewal } from './start-lease-renewal.ts'

const server = useOwnServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
  await fillAgents(server, tenant.id, { count: 2 * smallAtMost + 1, environmentId: tenant.development })
})

const query = (text: string, ...values: unknown[]) => server.owner.query(text, values)
const read = async (id: string, api = tenant.owner.api) => (await api.get(`/reports/${id}`)).body
const make = () => makeReports(server.services)

async function ask(body: object = {}, { api }: Pick<TestPerson, 'api'> = tenant.owner): Promise<string> {
  const answer = await api.post('/reports', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  expect(answer.body).toMatchObject({ status: 'running', progress: 0, snapshot: null, share_links: [] })
  return answer.body.id
}

const eventsOf = async (id: string) =>
  (await auditEntries(server, tenant.id)).filter((entry) => entry.resource_id === id).map((entry) => entry.event_type)

it('202 for many agents; the worker makes the same report as a single statement', async () => {
  const { id: policyId, hash } = await addPolicy(server, tenant.id)
  await query(
    `update agents set policy_id = $2, approved_policy_id = $2, approved_version = 1, approved_hash = $3 where tenant_id = $1
       and id in (select id from agents where tenant_id = $1 order by id limit 40)`,
    tenant.id,
    policyId,
    hash,
  )
  await query(
    `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
     select tenant_id, gen_random_uuid(), id, 'coverage_gap', 'high', 'open', '{}', 'close it', now() from agents
     where tenant_id = $1`,
    tenant.id,
  )
  const id = await ask({ title: 'All' })
  expect(await read(id)).toMatchObject({ id, title: 'All', status: 'running', snapshot: null })
  const worker = await startWorker(server.services, server.owner.options.connectionString as string)
  onTestFinished(() => worker.stop())
  await expect.poll(() => read(id), { timeout: 60_000 }).toMatchObject({ status: 'ready', progress: 1 })
  const { snapshot, created_at } = await read(id)
  const actor = { ...actorOf(tenant.owner), role: 'owner' as const }
  const whole = await server.services.db.transaction(tenant.id, (tx) =>
    gatherSnapshot(tx, { actor, environmentId: null, now: created_at, period: periodOf({}, created_at) }),
  )
  expect(snapshot).toEqual({
    organization: tenant.name,
    environment: null,
    made_by: { user_id: tenant.owner.id, display_name: expect.any(String), email: tenant.owner.email },
    period: periodOf({}, created_at),
    ...whole,
  })
  expect(snapshot.counts).toMatchObject({ agents: 2 * smallAtMost + 1, approvals: 40, findings: 2 * smallAtMost + 1 })
  expect(await eventsOf(id)).toEqual(['report.created', 'report.completed'])
  const page = await tenant.owner.api.get(`/reports/${id}`, { accept: 'text/html' })
  expect(page.headers.get('content-type')).toContain('text/html')
  expect((await query('select count(*)::int as n from report_queue')).rows[0].n).toBe(0)
}, 120_000)

const actorOf = (person: TestPerson) => ({
  kind: 'person' as const,
  tenantId: tenant.id,
  userId: person.id,
  accountId: null,
  email: '',
  displayName: '',
  accessScope: 'all' as const,
  academyOnly: false,
  readOnly: false,
  key: null,
})

it('has what its creator saw: a scoped user’s granted agents, a bound key’s environment', async () => {
  const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
  const granted = await addAgent(server, tenant.id, { environmentId: tenant.development })
  await grantAgent(server, tenant.id, scoped.id, granted)
  await addAgent(server, tenant.id, { environmentId: tenant.production })
  const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
  const [ofScoped, ofKey] = [await ask({ environment_id: tenant.development }, scoped), await ask({}, key)]
  await make()
  expect((await read(ofScoped)).snapshot.agents).toMatchObject([{ id: granted }])
  expect((await read(ofKey)).snapshot.counts.agents).toBe(2 * smallAtMost + 2)
})

it('a report that is not ready has a page that says so, and no share links: 409', async () => {
  const id = await ask()
  const page = await tenant.owner.api.get(`/reports/${id}`, { accept: 'text/html' })
  expect(page.status).toBe(200)
  expect(page.body).toContain('This report is in progress: 0 % is done.')
  const share = () => tenant.owner.api.post(`/reports/${id}/share-links`, {})
  expect(await share()).toMatchObject({ status: 409, body: { error: 'the report is not ready' } })
  expect((await query('select * from report_share_links where report_id = $1', id)).rows).toEqual([])
  expect((await tenant.owner.api.get('/reports')).body.data).toMatchObject([{ id, status: 'running', progress: 0 }])
  await make()
  expect((await share()).status).toBe(201)
})

it('another process makes the report of a process that died, after its lease has ended', async () => {
  const id = await ask()
  const lease = await server.services.db.transaction('', (tx) => leaseNext(tx, 60))
  expect(lease).toMatchObject({ report_id: id, attempts: 1 })
  await make()
  expect(await read(id)).toMatchObject({ status: 'running' })
  await query(`update report_queue set leased_until = now() - interval '1 second' where report_id = $1`, id)
  await make()
  expect(await read(id)).toMatchObject({ status: 'ready', progress: 1 })
})

it('the worker makes the report of a process that died as soon as the lease has ended', async () => {
  const id = await ask()
  const lease = await server.services.db.transaction('', (tx) => leaseNext(tx, 4))
  expect(lease).toMatchObject({ report_id: id })
  const worker = await startWorker(server.services, server.owner.options.connectionString as string)
  onTestFinished(() => worker.stop())
  await expect
    .poll(() => query('select from graphile_worker.jobs where key = $1', 'make_reports_when_due'), { timeout: 60_000 })
    .toMatchObject({ rowCount: 1 })
  expect(await read(id)).toMatchObject({ status: 'running' })
  await expect.poll(() => read(id), { timeout: 60_000 }).toMatchObject({ status: 'ready' })
})

it('while a report is made its lease is renewed and its progress stored, until another process has the lease', async () => {
  const id = await ask()
  const lease = (await server.services.db.transaction('', (tx) => leaseNext(tx, 1)))!
  const renewal = startLeaseRenewal(server.services, lease, { seconds: 30, everyMs: 20 })
  onTestFinished(() => renewal.stop())
  renewal.advance(0.5)
  await expect.poll(() => read(id)).toMatchObject({ status: 'running', progress: 0.49 })
  const left = `select leased_until > now() + interval '20 seconds' as is_long from report_queue where report_id = $1`
  expect((await query(left, id)).rows).toEqual([{ is_long: true }])
  await query('update report_queue set attempts = attempts + 1 where report_id = $1', id)
  await vi.waitFor(
    () =>
      expect(() => renewal.advance(0.6)).toThrow(
        'another process has taken over this report; this process stops making it',
      ),
    10_000,
  )
  expect(await read(id)).toMatchObject({ progress: 0.49 })
})

it('a report whose process died five times fails', async () => {
  const id = await ask()
  await query('update report_queue set attempts = 5 where report_id = $1', id)
  await make()
  expect(await read(id)).toMatchObject({ status: 'failed', failure: 'the server could not make the report' })
})

it('a report whose attempts failed five times fails', async () => {
  const id = await ask()
  await query(`update report_queue set attempts = 4 where report_id = $1`, id)
  await query(`update reports set request = jsonb_set(request, '{environment_id}', '"no uuid"') where id = $1`, id)
  await make()
  expect(await read(id)).toMatchObject({
    status: 'failed',
    failure: 'the server could not make the report',
    snapshot: null,
  })
  expect(await eventsOf(id)).toEqual(['report.created', 'report.failed'])
})

it.each([
  ['is removed', (id: string) => tenant.owner.api.delete(`/users/${id}`), 'is no longer in the organization'],
  [
    'loses access to the whole organization',
    (id: string) => query(`update users set access_scope = 'scoped' where id = $1`, id),
    'no longer has the required access',
  ],
  [
    'becomes a viewer',
    (id: string) => query(`update users set role = 'viewer' where id = $1`, id),
    'no longer has the required access',
  ],
])('fails if the person who asked for it %s meanwhile', async (_, change, failure) => {
  const person = await addPerson(server, tenant.id, { role: 'member' })
  const id = await ask({}, person)
  await change(person.id)
  await make()
  expect(await read(id)).toMatchObject({ status: 'failed', failure: expect.stringContaining(failure), snapshot: null })
  const page = await tenant.owner.api.get(`/reports/${id}`, { accept: 'text/html' })
  expect(page.body).toContain(failure)
})

it('409 for a sixth report in progress; nothing is written', async () => {
  await Promise.all(Array.from({ length: 5 }, () => ask()))
  const before = (await auditEntries(server, tenant.id)).length
  const sixth = await tenant.owner.api.post('/reports', {})
  expect(sixth.status).toBe(409)
  expect(sixth.body.error).toBe(
    'the organization already has 5 reports in progress; try again when one of them is ready',
  )
  expect(await auditEntries(server, tenant.id)).toHaveLength(before)
  await make()
  await ask()
  await make()
})
