import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { sendMail } from '../mail/send-mail.ts'
import { createTenant } from '../testing/arrange.ts'
import { startTestServer } from '../testing/start-test-server.ts'
import { startWorker } from './start-worker.ts'

it('restarts the worker if the connection is lost on which it looks for its first job', async () => {
  const server = await startTestServer()
  onTestFinished(() => server.stop())
  const ownerUrl = server.owner.options.connectionString as string
  // Creates the tables of the queue.
  await (await startWorker(server.services, ownerUrl)).stop()
  const locker = await server.owner.connect()
  await locker.query('begin; lock table graphile_worker._private_tasks in access exclusive mode')
  const worker = await startWorker(server.services, ownerUrl)
  onTestFinished(() => worker.stop())
  const waiting = `from pg_stat_activity where datname = current_database()
    and application_name = 'mandate jobs' and wait_event_type = 'Lock'`
  await expect.poll(async () => (await server.owner.query(`select pid ${waiting}`)).rowCount).toBeGreaterThan(0)
  await server.owner.query(`select pg_terminate_backend(pid) ${waiting}`)
  await locker.query('rollback')
  locker.release()
  const tenant = await createTenant(server)
  await server.services.db.transaction(tenant.id, async (tx) => {
    const mail = { to: 'first@example.com', subject: 'Join', text: 'Hello\n', tenantId: tenant.id }
    await sendMail(tx, server.services, mail)
    await tx.commit()
  })
  const sent = async () => (await readdir(join(server.dataDir, 'mail')).catch(() => [])).length
  await expect.poll(sent, { timeout: 60_000 }).toBe(1)
})
