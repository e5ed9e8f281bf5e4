import { readdir, readFile, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { SMTPServer } from 'smtp-server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sendMail } from '../mail/send-mail.ts'
import type { Services } from '../services.ts'
import { createTenant } from '../testing/arrange.ts'
import { useTestServer } from '../testing/use-test-server.ts'
import { startWorker } from './start-worker.ts'

const server = useTestServer({ faults: true, publicUrl: 'https://mandate.example.com' })

const link = `https://mandate.example.com/join?token=${'x'.repeat(43)}`

/** Starts a worker that stops with the test. Returns its log lines. */
async function startTestWorker(smtpUrl?: string) {
  const lines: string[] = []
  const services: Services = {
    ...server.services,
    log: pino({ level: 'info' }, { write: (line) => lines.push(line) }),
    config: { ...server.services.config, smtpUrl },
  }
  const worker = await startWorker(services, server.owner.options.connectionString as string)
  onTestFinished(() => worker.stop())
  return lines
}

async function startSmtp() {
  const received: { from: string; to: string[]; text: string }[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      let text = ''
      stream.on('data', (chunk) => (text += chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
  return { url: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`, received }
}

async function enqueue(tenantId: string, to: string) {
  const mail = { to, subject: 'Join', text: `Hello\n\n${link}\n`, link, tenantId }
  await server.services.db.transaction(tenantId, (tx) => sendMail(tx, server.services, mail))
}

/** Names of completely written mail files. */
const filesTo = async (address: string) =>
  (await readdir(join(server.dataDir, 'mail')).catch(() => [])).filter(
    (name) => name.includes(address) && name.endsWith('.eml'),
  )

test('with a mail server a mail is sent to it, and the log does not show its link', async () => {
  const tenant = await createTenant(server)
  const smtp = await startSmtp()
  const lines = await startTestWorker(smtp.url)
  await enqueue(tenant.id, 'smtp@example.com')
  await vi.waitFor(() => expect(smtp.received).toHaveLength(1), { timeout: 60_000 })
  const [mail] = smtp.received
  expect(mail).toMatchObject({ from: 'mandate@localhost', to: ['smtp@example.com'] })
  expect(mail?.text.split('\r\n')).toContain(link)
  await vi.waitFor(() => expect(lines.join('')).toContain('mail sent'))
  expect(lines.join('')).not.toContain('token=')
  expect(await filesTo('smtp@example.com')).toEqual([])
})

test('without a mail server a mail becomes a file that only its owner can read, and the log shows its link', async () => {
  const tenant = await createTenant(server)
  const lines = await startTestWorker()
  await enqueue(tenant.id, 'file@example.com')
  await vi.waitFor(async () => expect(await filesTo('file@example.com')).toHaveLength(1), { timeout: 60_000 })
  const [name = ''] = await filesTo('file@example.com')
  const file = join(server.dataDir, 'mail', name)
  expect(name).toMatch(/^\d{8}T\d{9}Z-file@example\.com-[0-9a-f]{4}\.eml$/)
  expect((await readFile(file, 'utf8')).split('\r\n')).toContain(link)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await vi.waitFor(() => expect(lines.join('')).toContain('mail written'))
  expect(JSON.parse(lines.find((line) => line.includes('mail written')) as string)).toMatchObject({
    msg: 'mail written',
    to: 'file@example.com',
    link,
    file,
  })
})

test('a mail that cannot be sent is kept encrypted in the queue and sent later', async () => {
  const tenant = await createTenant(server)
  await server.owner.query(`insert into faults (tenant_id, name) values ($1, 'mail.send')`, [tenant.id])
  await startTestWorker()
  await enqueue(tenant.id, 'later@example.com')
  const waiting = () =>
    server.owner.query(
      `select attempts, payload::text from graphile_worker._private_jobs where last_error like '%mail.send%'`,
    )
  await vi.waitFor(async () => expect((await waiting()).rows[0]?.attempts).toBe(1), { timeout: 60_000 })
  expect((await waiting()).rows[0].payload).not.toMatch(/later@|token/)
  expect(await filesTo('later@example.com')).toEqual([])
  await server.owner.query('delete from faults where tenant_id = $1', [tenant.id])
  await server.owner.query('update graphile_worker._private_jobs set run_at = now()')
  await vi.waitFor(async () => expect(await filesTo('later@example.com')).toHaveLength(1), { timeout: 60_000 })
})

test('mails are sent after the database has closed every connection of the worker', async () => {
  const tenant = await createTenant(server)
  await startTestWorker()
  await enqueue(tenant.id, 'before@example.com')
  await vi.waitFor(async () => expect(await filesTo('before@example.com')).toHaveLength(1), { timeout: 60_000 })
  await server.owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'mandate jobs' and datname = current_database()`)
  await enqueue(tenant.id, 'after@example.com')
  await vi.waitFor(async () => expect(await filesTo('after@example.com')).toHaveLength(1), { timeout: 60_000 })
})
