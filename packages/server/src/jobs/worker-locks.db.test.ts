import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startSlowMailServer } from '../../../../test/acceptance/slow-mail-server.ts'
import { sendMail } from '../mail/send-mail.ts'
import { createTenant } from '../testing/arrange.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { startWorker } from './start-worker.ts'
import { WorkerLocks } from './worker-locks.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const ownerUrl = () => server.owner.options.connectionString as string
const filesTo = async (address: string) =>
  (await readdir(join(server.dataDir, 'mail')).catch(() => [])).filter((name) => name.includes(address))

/** Inserts a mail job that is locked by the worker, and returns its id. */
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

it('jobs of a dead worker run again, jobs of a living one do not', { tags: ['long'] }, async () => {
  // A worker that starts after the jobs were inserted would run them. The tables are therefore created by a worker that starts
  // and stops before.
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

it('a living worker that lost its lock session takes the lock again before another instance takes its jobs', async () => {
  const open = () => new WorkerLocks({ ownerUrl: ownerUrl(), log: server.services.log, isAlone: false })
  const lockSessions = `select pid from pg_stat_activity where application_name = 'mandate job locks'
    and datname = current_database()`
  const sessions = async () => (await server.owner.query(lockSessions)).rows.map(({ pid }) => pid as number)
  const living = open()
  onTestFinished(() => living.close())
  living.add('pool-unlucky')
  await expect.poll(sessions, { timeout: 60_000 }).toHaveLength(1)
  await mailInHand('pool-unlucky', 'unlucky@example.com')
  const isHeld = async () => {
    const held = `select from graphile_worker._private_jobs where locked_by = 'pool-unlucky'`
    return (await server.owner.query(held)).rowCount === 1
  }
  const own = await sessions()
  const other = open()
  onTestFinished(() => other.close())
  other.add('pool-other')
  await expect.poll(sessions, { timeout: 60_000 }).toHaveLength(2)
  // New workers make the other instance check the locks again each time.
  for (let turn = 0; turn < 5; turn++) {
    await server.owner.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [own])
    own.splice(0, own.length, ...(await sessions()).filter((pid) => own.includes(pid)))
    for (let look = 0; look < 4; look++) {
      other.add(`pool-other-${turn}-${look}`)
      await pause(20)
    }
    expect(await isHeld()).toBe(true)
  }
})

it('each of two processes that start together finds the other one, once, and notices when it has gone', async () => {
  const own = await startTestServer()
  onTestFinished(() => own.stop())
  const url = own.owner.options.connectionString as string
  await (await startWorker(own.services, url)).stop()
  const open = (name: string) => {
    const seen: boolean[] = []
    const onOthers = (areThere: boolean) => void seen.push(areThere)
    const options = { log: own.services.log, isAlone: false, everyMs: 20, othersEveryMs: 20 }
    const locks = new WorkerLocks({ ...options, ownerUrl: url, onOthers })
    onTestFinished(() => locks.close())
    locks.add(name)
    return { locks, seen }
  }
  const [one, two] = [open('pool-one'), open('pool-two')]
  await expect.poll(() => [one.seen, two.seen], { timeout: 60_000 }).toEqual([[true], [true]])
  await one.locks.close()
  await expect.poll(() => two.seen, { timeout: 60_000 }).toEqual([true, false])
  expect(one.seen).toEqual([true])
})

it('a lost lock session and an ended worker of the same process are not another process', async () => {
  const own = await startTestServer()
  onTestFinished(() => own.stop())
  const url = own.owner.options.connectionString as string
  await (await startWorker(own.services, url)).stop()
  const lost = await own.owner.connect()
  onTestFinished(() => lost.release(true))
  await lost.query(`select pg_advisory_lock_shared(1296125769, hashtext(id)) from unnest('{pool-a,pool-b}'::text[]) id`)
  const seen: boolean[] = []
  const locks = new WorkerLocks({
    ownerUrl: url,
    log: own.services.log,
    isAlone: false,
    everyMs: 20,
    othersEveryMs: 0,
    onOthers: (areThere) => void seen.push(areThere),
  })
  onTestFinished(() => locks.close())
  locks.add('pool-a')
  locks.add('pool-b')
  locks.end('pool-a')
  const locked = (id: string) => async () => {
    const text = `select from pg_locks where classid = 1296125769 and objid = hashtext($1)::oid`
    return (await own.owner.query(text, [id])).rowCount
  }
  await expect.poll(locked('pool-b'), { timeout: 60_000 }).toBe(2)
  // The look that takes this lock follows one that has looked for others.
  locks.add('pool-c')
  await expect.poll(locked('pool-c'), { timeout: 60_000 }).toBe(1)
  expect(seen).toEqual([])
  await lost.query(`select pg_advisory_lock_shared(1296125769, hashtext('pool-other'))`)
  await expect.poll(() => seen, { timeout: 60_000 }).toEqual([true])
})

it('a job that an ended worker takes late is released, although a lost session still holds its lock', async () => {
  const locks = new WorkerLocks({ ownerUrl: ownerUrl(), log: server.services.log, isAlone: false, everyMs: 200 })
  onTestFinished(() => locks.close())
  const lost = await server.owner.connect()
  onTestFinished(() => lost.release(true))
  await lost.query(`select pg_advisory_lock_shared(1296125769, hashtext('pool-ended'))`)
  locks.add('pool-ended')
  locks.add('pool-next')
  locks.end('pool-ended')
  await pause(1_000)
  await mailInHand('pool-ended', 'late@example.com')
  const held = `select from graphile_worker._private_jobs where locked_by = 'pool-ended'`
  await expect.poll(async () => (await server.owner.query(held)).rowCount, { timeout: 60_000 }).toBe(0)
})

it('a mail that is being sent is not sent again by the next worker of the process', async () => {
  const mails = await startSlowMailServer()
  const slow = await startTestServer({ smtpUrl: mails.url })
  onTestFinished(async () => {
    await slow.stop()
    await mails.close()
  })
  const url = slow.owner.options.connectionString as string
  const worker = await startWorker(slow.services, url)
  onTestFinished(() => worker.stop())
  const { id } = await createTenant(slow)
  await slow.services.db.transaction(id, (tx) =>
    sendMail(tx, slow.services, { to: 'once@example.com', subject: 'Join', text: 'Hello\n', tenantId: id }),
  )
  await expect.poll(() => mails.held(), { timeout: 60_000 }).toHaveLength(1)
  // Simulates that the first worker of the process has ended: its job is unlocked.
  const { rows } = await slow.owner.query(
    'select locked_by from graphile_worker._private_jobs where locked_by is not null',
  )
  await slow.owner.query('select graphile_worker.force_unlock_workers($1)', [rows.map((row) => row.locked_by)])
  const attempts = async () =>
    (await slow.owner.query('select max(attempts) as attempts from graphile_worker._private_jobs')).rows[0].attempts
  await expect.poll(attempts, { timeout: 60_000 }).toBe(2)
  await pause(500)
  expect(mails.held()).toHaveLength(1)
  mails.takeAll()
  const left = `select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send_mail'`
  await expect.poll(async () => (await slow.owner.query(left)).rowCount, { timeout: 60_000 }).toBe(0)
  expect(mails.taken).toEqual(['once@example.com'])
})

it('a process that is alone on its database releases jobs at the first look', async () => {
  await mailInHand('pool-before', 'alone@example.com')
  const worker = await startWorker(server.services, ownerUrl(), { isAlone: true })
  onTestFinished(() => worker.stop())
  await expect.poll(() => filesTo('alone@example.com'), { timeout: 60_000 }).toHaveLength(1)
})

it('the sweep of stale evidence runs although a worker died during an earlier one', async () => {
  await server.owner.query(`select graphile_worker.add_job('sweep_stale_evidence', job_key := 'stale_evidence')`)
  await server.owner.query(`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-gone'
    where key = 'stale_evidence'`)
  const worker = await startWorker(server.services, ownerUrl())
  onTestFinished(() => worker.stop())
  await server.owner.query(`select graphile_worker.add_job('sweep_stale_evidence', job_key := 'stale_evidence')`)
  const left = `select from graphile_worker._private_jobs where key = 'stale_evidence'`
  await expect.poll(async () => (await server.owner.query(left)).rowCount, { timeout: 60_000 }).toBe(0)
})
