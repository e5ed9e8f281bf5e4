// May take over 10 s: inserts 10,000 held calls.
import { Registry } from 'prom-client'
import { v7 } from 'uuid'
import { expect, it } from 'vitest'
import { startWorker } from '../../jobs/start-worker.ts'
import { measureCounts } from '../../metrics/counted-gauges.ts'
import { addAgent, createTenant } from '../../testing/arrange.ts'
import { addEdge } from '../../testing/arrange-agents.ts'
import { beat, silence } from '../../testing/running-instance.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { addPendingCall, createScene } from '../approvals/testing/held-calls.ts'
import { noteSilence } from '../edge/instances/note-silence.ts'
import { countForMetrics, type WaitingJobs, waitingJobsText } from './count-for-metrics.ts'

const server = useOwnServer()

/** The value of a series of `/metrics`. Undefined if the series is missing. */
async function metric(series: string): Promise<number | undefined> {
  const line = (await server.services.metrics.expose()).split('\n').find((text) => text.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

it('counts silent edges, held calls with their age, open findings and waiting jobs, by tenant', async () => {
  const scene = await createScene(server)
  const { tenant } = scene
  const other = await createTenant(server)
  await addPendingCall(scene)
  await addPendingCall(scene)
  await server.owner.query(`update approvals set requested_at = now() - interval '5 minutes' where tenant_id = $1`, [
    tenant.id,
  ])
  const agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
  await server.owner.query(
    `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
     values ($1, $2, $3, 'coverage_gap', 'high', 'open', '{}', '', now()), ($1, $4, $3, 'coverage_gap', 'high', 'closed', '{}', '', now())`,
    [tenant.id, v7(), agent, v7()],
  )
  const edge = await addEdge(server, other.id, other.development)
  await beat(edge, 'quiet', await addAgent(server, other.id, { environmentId: other.development }))
  await silence(server, other.id, 'quiet')
  await noteSilence(server.services, other.id)

  expect(await metric(`mandate_approvals_pending{tenant="${tenant.id}"}`)).toBeUndefined()
  await countForMetrics(server.services, [
    { task: 'send_mail', waiting: 3, oldest: Math.floor(Date.now() / 1000) - 700 },
  ])
  expect(await metric(`mandate_approvals_pending{tenant="${tenant.id}"}`)).toBe(2)
  expect(await metric(`mandate_approvals_oldest_pending_seconds{tenant="${tenant.id}"}`)).toBeGreaterThanOrEqual(299)
  expect(await metric(`mandate_findings_open{tenant="${tenant.id}",type="coverage_gap"}`)).toBe(1)
  expect(await metric(`mandate_edges_silent{tenant="${other.id}"}`)).toBe(1)
  expect(await metric(`mandate_edges_silent{tenant="${tenant.id}"}`)).toBeUndefined()
  expect(await metric('mandate_jobs_waiting{task="send_mail"}')).toBe(3)
  expect(await metric('mandate_jobs_oldest_waiting_seconds{task="send_mail"}')).toBeGreaterThanOrEqual(700)
  expect(await metric('mandate_counts_age_seconds')).toBeGreaterThanOrEqual(0)

  await server.owner.query(`delete from approvals where tenant_id = $1`, [tenant.id])
  await countForMetrics(server.services, [])
  expect(await metric(`mandate_approvals_pending{tenant="${tenant.id}"}`)).toBeUndefined()
  expect(await metric('mandate_jobs_waiting{task="send_mail"}')).toBeUndefined()
})

it('counts a silent instance of an edge that is still heard, for an hour and until a newer instance replaces it', async () => {
  const tenant = await createTenant(server)
  const edge = await addEdge(server, tenant.id, tenant.development)
  const agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
  const counted = async () => {
    await countForMetrics(server.services, [])
    return await metric(`mandate_edge_instances_silent{tenant="${tenant.id}"}`)
  }
  const move = (instance: string, seen: string, started: string) =>
    server.owner.query(
      `update edge_instances set seen_at = now() - $3::interval, started_at = now() - $4::interval
       where tenant_id = $1 and instance_id = $2`,
      [tenant.id, instance, seen, started],
    )
  await beat(edge, 'dead', agent)
  await beat(edge, 'alive', agent)
  await move('alive', '0', '1 day')
  expect(await counted()).toBeUndefined()
  await move('dead', '10 minutes', '1 day')
  expect(await counted()).toBe(1)
  expect(await metric(`mandate_edges_silent{tenant="${tenant.id}"}`)).toBeUndefined()
  await beat(edge, 'new', agent)
  expect(await counted()).toBeUndefined()
  await move('new', '0', '1 day')
  expect(await counted()).toBe(1)
  await move('dead', '2 hours', '1 day')
  expect(await counted()).toBeUndefined()
  await move('dead', '10 minutes', '1 day')
  await server.owner.query('update edges set revoked_at = now() where tenant_id = $1', [tenant.id])
  expect(await counted()).toBeUndefined()
})

it('counts jobs that are due, and jobs that failed since they were created, but no jobs of later', async () => {
  const add = async (task: string, change: string) => {
    const { rows } = await server.owner.query('select id from graphile_worker.add_job($1)', [task])
    await server.owner.query(`update graphile_worker._private_jobs set ${change} where id = $1`, [rows[0].id])
  }
  await add('due', `run_at = now() - interval '5 minutes'`)
  await add('failed', `attempts = 3, created_at = now() - interval '1 hour', run_at = now() + interval '1 hour'`)
  await add('later', `run_at = now() + interval '1 hour'`)
  await add('given_up', `attempts = max_attempts`)
  const { rows } = await server.owner.query<WaitingJobs>(waitingJobsText)
  await server.owner.query(`select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs
    where task_identifier in ('due', 'failed', 'later', 'given_up')`)
  const ages = rows.map(({ task, oldest }) => [task, Math.round((Date.now() / 1000 - oldest) / 60)])
  expect(Object.fromEntries(ages)).toMatchObject({ due: 5, failed: 60 })
  const tasks = rows.map(({ task }) => task)
  expect(tasks).not.toContain('later')
  expect(tasks).not.toContain('given_up')
})

it('lets the age of the counts grow while the database cannot be reached', async () => {
  await countForMetrics(server.services, [])
  await server.owner.query(`update counted_gauges set value = value - 100 where name = 'mandate_counts_age_seconds'`)
  const { global } = server.services.db
  let isAway = false
  const all = ((statement) => (isAway ? Promise.reject(new Error('away')) : global.all(statement))) as typeof global.all
  const registry = new Registry()
  measureCounts({ global: { ...global, all } }, [registry])
  const age = async () => Number(/^mandate_counts_age_seconds (.*)$/m.exec(await registry.metrics())?.[1])
  const before = await age()
  isAway = true
  expect(before).toBeGreaterThanOrEqual(100)
  await expect.poll(age).toBeGreaterThan(before)
})

it('finds the call that has waited longest among more than 10,000', async () => {
  const scene = await createScene(server)
  const { id } = await addPendingCall(scene)
  const { rows } = await server.owner.query(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = 'approvals'::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> all ('{id,requested_at,expires_at}')`,
  )
  const [{ columns }] = rows
  await server.owner.query(
    `insert into approvals (id, requested_at, expires_at, ${columns})
     select gen_random_uuid(), now() - age, now() + interval '2 hours' - age, ${columns}
     from approvals, (select case when n = 10001 then interval '1 hour' else interval '1 minute' end as age
       from generate_series(1, 10001) n) n where id = $1`,
    [id],
  )
  await countForMetrics(server.services, [])
  expect(await metric(`mandate_approvals_pending{tenant="${scene.tenant.id}"}`)).toBe(10_000)
  const age = await metric(`mandate_approvals_oldest_pending_seconds{tenant="${scene.tenant.id}"}`)
  expect(age).toBeGreaterThanOrEqual(3_600)
  await server.owner.query('delete from approvals where tenant_id = $1', [scene.tenant.id])
})

it('counts the denied calls of the last ten minutes by tenant, without those of monitor mode', async () => {
  const scene = await createScene(server)
  const record = (effect: string, mode: string, minutesAgo = 0) => ({
    decision_id: v7(),
    agent_id: scene.agentId,
    tool: 'mcp:files/read',
    effect,
    mode,
    policy_version: 1,
    args_digest: 'a'.repeat(64),
    at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
  })
  const decisions = [record('deny', 'enforce'), record('deny', 'enforce'), record('deny', 'monitor')]
  decisions.push(record('allow', 'enforce'), record('deny', 'enforce', 20))
  expect((await scene.edge.post('/edge/decisions', { decisions })).status).toBe(202)
  await countForMetrics(server.services, [])
  expect(await metric(`mandate_calls_denied_10m{tenant="${scene.tenant.id}"}`)).toBe(2)
})

it('counts each stored decision once, by effect and mode', async () => {
  const scene = await createScene(server)
  const denied = async (mode = 'enforce') =>
    (await metric(`mandate_decisions_total{effect="deny",mode="${mode}"}`)) as number
  const [before, record] = [
    await denied(),
    {
      decision_id: v7(),
      agent_id: scene.agentId,
      tool: 'mcp:files/read',
      effect: 'deny',
      mode: 'enforce',
      policy_version: 1,
      args_digest: 'a'.repeat(64),
      at: new Date().toISOString(),
    },
  ]
  for (let n = 0; n < 2; n++)
    expect((await scene.edge.post('/edge/decisions', { decisions: [record] })).status).toBe(202)
  expect(await denied()).toBe(before + 1)
  const monitored = await denied('monitor')
  const other = { ...record, decision_id: v7(), mode: 'monitor' }
  expect((await scene.edge.post('/edge/decisions', { decisions: [other] })).status).toBe(202)
  expect([await denied(), await denied('monitor')]).toEqual([before + 1, monitored + 1])
})

it('the worker counts jobs that are due, and not those that run later', async () => {
  const worker = await startWorker(server.services, server.owner.options.connectionString as string)
  try {
    await server.owner.query(`select graphile_worker.add_job('of_another_version', '{}'::json),
      graphile_worker.add_job('later', '{}'::json, run_at => now() + interval '1 hour')`)
    const counted = async () => {
      // A run that the worker began before does not see the new jobs, and no other run begins meanwhile.
      await server.owner.query(`select graphile_worker.add_job('count_for_metrics', '{}'::json)`)
      return await metric('mandate_jobs_waiting{task="of_another_version"}')
    }
    await expect.poll(counted, { timeout: 60_000 }).toBe(1)
    expect(await metric('mandate_jobs_waiting{task="later"}')).toBeUndefined()
  } finally {
    await worker.stop()
  }
})
