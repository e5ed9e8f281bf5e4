import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { sendMail } from '../mail/send-mail.ts'
import { createTenant } from '../testing/arrange.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { startWorker } from './start-worker.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const ownerUrl = () => server.owner.options.connectionString as string
const filesTo = async (address: string) =>
  (await readdir(join(server.dataDir, 'mail')).catch(() => [])).filter((name) => name.includes(address))

/** A mail job that a worker has taken. */
async function mailInHand(workerId: string, to: string): Promise<string> {
  const tenant = await createTenant(server)
  const mail = { to, subject: 'Join', text: 'Hello\n', tenantId: tenant.id }
  const before = await server.owner.query('select coalesce(max(id), 0)::text as id from graphile_worker._private_jobs')
  await server.services.db.transaction(tenant.id, async (tx) => {
    await sendMail(tx, server.services, mail)
    await tx.commit()
  })
  const { rows } = await server.owner.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = $1, attempts = 1
     where id > $2 and locked_by is null returning id::text`,
    [workerId, before.rows[0].id],
  )
  return rows[0]?.id
}

it('jobs of a worker that died run again, those of a living one do not', async () => {
  // A worker that starts once the jobs are taken would take them itself.
  const first = await startWorker(server.services, ownerUrl())
  await first.stop()
  const living = await server.owner.connect()
  await living.query(`select pg_advisory_lock(1296125769, hashtext('pool-living'))`)
  await mailInHand('pool-dead', 'dead@example.com')
  await mailInHand('pool-living', 'living@example.com')
  const worker = await startWorker(server.services, ownerUrl())
  onTestFinished(() => worker.stop())
  await expect.poll(() => filesTo('dead@example.com'), { timeout: 60_000 }).toHaveLength(1)
  expect(await filesTo('living@example.com')).toEqual([])
  await living.query('select pg_advisory_unlock_all()')
  living.release()
  await expect.poll(() => filesTo('living@example.com'), { timeout: 60_000 }).toHaveLength(1)
})

it('a process that is alone on its database does not wait for a second look', async () => {
  await mailInHand('pool-before', 'alone@example.com')
  const worker = await startWorker(server.services, ownerUrl(), { isAlone: true })
  onTestFinished(() => worker.stop())
  await expect.poll(() => filesTo('alone@example.com'), { timeout: 60_000 }).toHaveLength(1)
})

it('the sweep of stale evidence runs although a worker died in the middle of it', async () => {
  await server.owner.query(`select graphile_worker.add_job('sweep_stale_evidence', job_key := 'stale_evidence')`)
  await server.owner.query(`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-gone'
    where key = 'stale_evidence'`)
  const worker = await startWorker(server.services, ownerUrl())
  onTestFinished(() => worker.stop())
  await server.owner.query(`select graphile_worker.add_job('sweep_stale_evidence', job_key := 'stale_evidence')`)
  const left = `select from graphile_worker._private_jobs where key = 'stale_evidence'`
  await expect.poll(async () => (await server.owner.query(left)).rowCount, { timeout: 60_000 }).toBe(0)
})
