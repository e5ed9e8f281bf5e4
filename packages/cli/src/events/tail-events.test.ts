import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Reply, serve } from '@mandate/sdk/testing/serve'
import { expect, onTestFinished, test } from 'vitest'
import { runInProcess } from '../testing/run-in-process.ts'

const event: Reply = {
  status: 200,
  text: 'id: 1\nevent: agent.changed\ndata: {"id":"1","type":"agent.changed"}\n\n',
  headers: { 'content-type': 'text/event-stream' },
}
const key = `mk_${'0'.repeat(64)}`

test.each([['events'], ['decisions']])('%s tail ends if the first connection fails, and says why', async (group) => {
  const { url, stop } = await serve(() => event)
  await stop()
  const env = { MANDATE_URL: url, MANDATE_API_KEY: key }
  const { code, stdout, stderr } = await runInProcess([group, 'tail'], { env, cwd: tmpdir() })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`mandate: ${url} cannot be reached (ECONNREFUSED)\n  check the address`)
})

test('events tail ends if the session was revoked, and sends its refresh token only once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-tail-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { url, received } = await serve(({ url }, number) =>
    url.includes('/events/stream') && number === 1 ? event : { status: 401, body: { error: 'not signed in' } },
  )
  const tokens = { access_token: 'access', refresh_token: 'refresh', expires_at: Number.MAX_SAFE_INTEGER }
  const sessions = { [url]: { ...tokens, email: 'a@acme.example' } }
  await mkdir(join(folder, '.config'))
  await writeFile(join(folder, '.config/sessions.json'), JSON.stringify({ current: url, sessions }))
  const env = { MANDATE_CONFIG_DIR: '.config' }
  const { code, stdout, stderr } = await runInProcess(['events', 'tail'], { env, cwd: folder })
  expect([code, stderr]).toEqual([1, `mandate: the session at ${url} has ended\n  sign in again: mandate login\n`])
  expect(stdout).toContain('agent.changed')
  expect(received.filter(({ url }) => url.endsWith('/auth/refresh'))).toHaveLength(1)
})

test('the note about a lost connection has the reason', async () => {
  const { url } = await serve((_request, number) => (number === 2 ? { status: 500, body: { error: 'failed' } } : event))
  const env = { MANDATE_URL: url, MANDATE_API_KEY: key }
  const { code, stderr } = await runInProcess(['events', 'tail', '--count', '2'], { env, cwd: tmpdir() })
  expect([code, stderr]).toEqual([0, 'the connection was lost (failed); connecting again\n'])
})
