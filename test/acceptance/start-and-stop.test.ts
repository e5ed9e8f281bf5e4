// May take over 10 s: starts and stops the whole product, because signals and exit codes belong to processes.
import { appendFile, readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callApi, password, register } from './call-api.ts'
import { dataFolder, npmStart, startMandate, startRefused, temporaryFolder } from './mandate-process.ts'

test('the first start on an empty folder prints the URL, the first steps and how to stop', async () => {
  const dataDir = join(await temporaryFolder(), 'not', 'there', 'yet')
  const server = await startMandate({ DATA_DIR: dataDir }, onTestFinished, { command: npmStart })
  await vi.waitFor(() => expect(server.output()).toContain('To stop: Ctrl-C'))
  expect(server.output()).toContain(`First steps: open ${server.url} in a browser`)
  expect(server.output()).toContain(`Mandate runs at ${server.url}`)
  expect(server.output()).toContain(`${server.url}/api/v1/auth/register`)
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  // With the port 0, the server's own address is known only when it listens. The dashboard must not send the browser elsewhere.
  expect((await fetch(`${server.url}/`, { redirect: 'manual' })).status).toBe(200)
  expect(await server.stop()).toMatchObject({ code: 0 })
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
})

test('keeps stored data across kill -9 and a new start', async () => {
  const dataDir = await dataFolder()
  const first = await startMandate({ DATA_DIR: dataDir })
  const { email, tenantId, credential } = await register(first)
  process.kill(first.pid, 'SIGKILL')
  await first.ended
  const second = await startMandate({ DATA_DIR: dataDir })
  expect(second.output()).not.toContain('First steps')
  expect(await callApi(second, 'GET', `/tenants/${tenantId}`, { credential })).toMatchObject({ status: 200 })
  expect((await callApi(second, 'POST', '/auth/sign-in', { body: { email, password } })).status).toBe(200)
})

test('refuses a second start on the same data folder, and names the running process', async () => {
  const dataDir = await dataFolder()
  const server = await startMandate({ DATA_DIR: dataDir })
  const refused = await startRefused({ DATA_DIR: dataDir })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(`is in use by process ${server.pid}`)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  await register(server)
})

test('reports a port in use, and leaves no process running', { tags: ['long'] }, async () => {
  const server = await startMandate({ DATA_DIR: await dataFolder() })
  const dataDir = await dataFolder()
  const { port } = new URL(server.url)
  const refused = await startRefused({ DATA_DIR: dataDir, PORT: port })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(`port ${port} on 127.0.0.1 is in use`)
  expect(await readdir(join(dataDir, 'lock'))).toEqual([])
})

/** Sends a request's body in two halves, so that the test decides how long the request takes. */
function slowRequest(url: string, body: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const half = Math.floor(body.length / 2)
  socket.write(
    `POST /api/v1/auth/register HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, half)}`,
  )
  let received = ''
  const answer = new Promise<string>((resolve, reject) => {
    socket.on('data', (chunk) => {
      received += chunk
      if (received.includes('\r\n\r\n')) resolve(received)
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
  })
  return { answer, finish: () => socket.write(body.slice(half)), close: () => socket.destroy() }
}

test('SIGTERM: readiness fails, then no new connections, a request in progress completes, exit code 0', async () => {
  const server = await startMandate({ DATA_DIR: await dataFolder(), MANDATE_DRAIN_SECONDS: '2' })
  const request = slowRequest(server.url, JSON.stringify({ email: 'slow@example.com', password, organization: 'Slow' }))
  const ended = server.stop()
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503)
  await expect.poll(() => fetch(`${server.url}/healthz`).catch(() => 'refused')).toBe('refused')
  request.finish()
  expect(await request.answer).toMatch(/^HTTP\/1\.1 201 /)
  expect(await ended).toMatchObject({ code: 0 })
  expect(server.log().at(-1)).toMatchObject({ msg: 'stopped' })
})

test('a second signal stops the server at once, even with a request in progress', { tags: ['long'] }, async () => {
  const dataDir = await dataFolder()
  const server = await startMandate({ DATA_DIR: dataDir })
  const request = slowRequest(server.url, '{"email": "never sent whole"}')
  await pause(300)
  process.kill(server.pid, 'SIGTERM')
  await pause(600)
  process.kill(server.pid, 'SIGTERM')
  expect((await server.ended).code).toBe(1)
  request.close()
  await startMandate({ DATA_DIR: dataDir })
})

test('restarts the embedded database after a crash, returns 503 meanwhile, and keeps all data', async () => {
  const server = await startMandate({ DATA_DIR: await dataFolder() })
  const { tenantId, credential } = await register(server)
  const first = server.database()
  process.kill(first.pid, 'SIGKILL')
  const statuses = new Set<number>()
  await vi.waitFor(
    async () => {
      const { status } = await callApi(server, 'GET', `/tenants/${tenantId}`, { credential })
      statuses.add(status)
      expect([status, server.database().pid === first.pid]).toEqual([200, false])
    },
    { timeout: 60_000, interval: 5 },
  )
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
  // This check has a connection of its own.
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(await server.stop()).toMatchObject({ code: 0 })
})

test('exits with the reason if the embedded database cannot be restarted', { tags: ['long'] }, async () => {
  const server = await startMandate({ DATA_DIR: await dataFolder() })
  await appendFile(join(server.dataDir, 'pg', 'postgresql.conf'), '\nwork_mem = plenty\n')
  process.kill(server.database().pid, 'SIGKILL')
  const { code, stderr } = await server.ended
  expect(code).toBe(1)
  expect(stderr).toContain('the embedded database ended and cannot be started again')
  expect(server.output()).toContain('work_mem')
})

test('an unhandled error is logged, requests in progress complete, and the exit code is 1', async () => {
  const onSignal = `process.on('SIGUSR2',()=>{Promise.reject(new(Error)('nobody-handles-this'))})`
  const NODE_OPTIONS = `--import=data:text/javascript,${onSignal}`
  const server = await startMandate({ DATA_DIR: await dataFolder(), NODE_OPTIONS })
  const request = slowRequest(server.url, JSON.stringify({ email: 'slow@example.com', password, organization: 'Slow' }))
  await pause(300)
  process.kill(server.pid, 'SIGUSR2')
  await pause(500)
  request.finish()
  expect(await request.answer).toMatch(/^HTTP\/1\.1 201 /)
  expect((await server.ended).code).toBe(1)
  expect(server.output()).toContain('nobody-handles-this')
  expect(server.log().at(-1)).toMatchObject({ msg: 'stopped' })
})
