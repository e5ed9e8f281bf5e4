import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callApi, register } from './call-api.ts'
import { dataFolder, startMandate } from './mandate-process.ts'
import { startSlowMailServer } from './slow-mail-server.ts'

const wait = { timeout: 60_000, interval: 50 }

async function arrange() {
  const mails = await startSlowMailServer()
  onTestFinished(() => mails.close())
  const settings = { DATA_DIR: await dataFolder(), SMTP_URL: mails.url, MANDATE_DRAIN_SECONDS: '0' }
  const server = await startMandate(settings)
  const { tenantId, credential } = await register(server)
  const invite = async (at: { url: string }, email: string) => {
    const path = `/tenants/${tenantId}/invite`
    const answer = await callApi(at, 'POST', path, { body: { email, role: 'viewer' }, credential })
    expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  }
  return { mails, settings, server, invite }
}

test.each([
  ['kill -9', 'SIGKILL'],
  ['an orderly stop', 'SIGINT'],
] as const)(
  '%s of PostgreSQL during a mail job: the server keeps running and sends the mail once',
  { tags: ['long'] },
  async (_, signal) => {
    const { mails, server, invite } = await arrange()
    await invite(server, 'first@example.com')
    await vi.waitFor(() => expect(mails.held()).toContain('first@example.com'), wait)
    const { pid } = server.database()
    process.kill(pid, signal)
    // The job ends while PostgreSQL is down, so its end cannot be recorded.
    mails.takeAll()
    await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200), wait)
    await vi.waitFor(() => expect(server.database().pid).not.toBe(pid), wait)
    await vi.waitFor(() => invite(server, 'second@example.com'), wait)
    await vi.waitFor(() => expect(mails.taken).toContain('second@example.com'), wait)
    await pause(3_000)
    expect(mails.taken.filter((to) => to === 'first@example.com')).toHaveLength(1)
    expect(await server.stop()).toMatchObject({ code: 0 })
  },
)

test('kill -9 of the server during a mail job: the next start sends the mail', async () => {
  const { mails, settings, server, invite } = await arrange()
  await invite(server, 'first@example.com')
  await vi.waitFor(() => expect(mails.held()).toContain('first@example.com'), wait)
  process.kill(server.pid, 'SIGKILL')
  await server.ended
  const next = await startMandate(settings)
  await vi.waitFor(() => expect(mails.held().filter((to) => to === 'first@example.com').length).toBe(2), wait)
  // A stop waits for the job, and the job waits for the mail server.
  mails.takeAll()
  expect(await next.stop()).toMatchObject({ code: 0 })
})
