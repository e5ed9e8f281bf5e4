import { expect, it, onTestFinished } from 'vitest'
import { addAgent } from '../testing/arrange.ts'
import { useOwnServer, useTenant } from '../testing/use-test-server.ts'
import { startWorker } from './start-worker.ts'

const server = useOwnServer()
const tenant = useTenant(server)

it('several workers together open the finding evidence_stale only once', async () => {
  const id = await addAgent(server, tenant.id, { environmentId: tenant.development })
  await server.owner.query(
    `insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at)
     values ($1, $2, 'full', '{}', '{}', '1', now() - interval '1 hour')`,
    [tenant.id, id],
  )
  for (let n = 0; n < 2; n++) {
    const worker = await startWorker(server.services, server.owner.options.connectionString as string)
    onTestFinished(() => worker.stop())
  }
  await server.owner.query(`select graphile_worker.add_job('sweep_stale_evidence') from generate_series(1, 4)`)
  const found = async () => (await tenant.owner.api.get(`/findings?agent_id=${id}`)).body.data
  await expect.poll(found, { timeout: 60_000 }).toMatchObject([{ type: 'evidence_stale', status: 'open' }])
  const left = async () => (await server.owner.query('select count(*)::int as n from graphile_worker.jobs')).rows[0].n
  await expect.poll(left, { timeout: 60_000 }).toBe(0)
  expect(await found()).toHaveLength(1)
})

it('every recurring job is registered in the queue', async () => {
  const known = async () =>
    (await server.owner.query('select identifier from graphile_worker._private_known_crontabs order by 1')).rows
  const worker = await startWorker(server.services, server.owner.options.connectionString as string)
  onTestFinished(() => worker.stop())
  await expect
    .poll(known, { timeout: 60_000 })
    .toEqual([
      { identifier: 'anchor_decisions' },
      { identifier: 'count_for_metrics' },
      { identifier: 'expire_approvals' },
      { identifier: 'expire_decisions' },
      { identifier: 'expire_events' },
      { identifier: 'keep_partitions' },
      { identifier: 'make_reports' },
      { identifier: 'mark_late_instances' },
      { identifier: 'note_silence' },
      { identifier: 'record_sign_in_failures' },
      { identifier: 'settle_changed_tools' },
      { identifier: 'sweep_expired' },
      { identifier: 'sweep_stale_evidence' },
      { identifier: 'verify_all_trails' },
      { identifier: 'verify_trails' },
    ])
})
