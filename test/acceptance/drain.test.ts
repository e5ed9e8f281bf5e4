// May take over 10 s: the drain time of the server must pass.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { register } from './call-api.ts'
import { dataFolder, startMandate } from './mandate-process.ts'

interface Result {
  status: number
  type: string
  closes: boolean
}

function get(url: string, agent: Agent, credential?: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` }
    const sent = request(url, { agent, headers }, (response) => {
      response.resume()
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: String(response.headers['content-type']),
          closes: response.headers.connection === 'close',
        }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Simulates a client behind a load balancer: reuses one connection, and opens a new connection only while the server is ready. */
async function keepAsking(
  url: string,
  credential: string,
  isReady: () => boolean,
  thinkMs: number,
  onAnswer: () => void,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const results: Result[] = []
  const failures: unknown[] = []
  for (let isOpen = true; isOpen; ) {
    const result = await get(`${url}/api/v1/environments`, agent, credential).catch(
      (error) => void failures.push(error),
    )
    if (result) {
      results.push(result)
      onAnswer()
    }
    if (!result || result.closes) isOpen = isReady()
    await pause(thinkMs)
  }
  agent.destroy()
  return { results, failures }
}

test('SIGTERM fails no request of clients that keep connections open', async () => {
  // The drain time is longer than the clients need, also on a busy machine.
  const settings = { MANDATE_SESSION_RATE: '1000000000', MANDATE_DRAIN_SECONDS: '6' }
  const server = await startMandate({ DATA_DIR: await dataFolder(), ...settings })
  const { credential } = await register(server)
  let ready = true
  const inTurn = Promise.withResolvers<void>()
  let answers = 0
  const count = () => {
    answers++
    if (answers === 200) inTurn.resolve()
  }
  const clients = Array.from({ length: 24 }, (_, at) =>
    keepAsking(server.url, credential, () => ready, (at % 6) * 50, count),
  )
  await inTurn.promise
  const stopping = new Agent({ keepAlive: false })
  const ended = server.stop()
  while (ready) {
    ready = (await get(`${server.url}/readyz`, stopping)).status === 200
    await pause(20)
  }
  // The server accepts connections after the readiness check fails, because a balancer may react late.
  expect(await get(`${server.url}/api/v1/environments`, stopping, credential)).toMatchObject({
    status: 200,
    closes: true,
  })
  const outcomes = await Promise.all(clients)
  expect(outcomes.flatMap(({ failures }) => failures)).toEqual([])
  const results = outcomes.flatMap((outcome) => outcome.results)
  expect(results.filter(({ status }) => status !== 200)).toEqual([])
  expect(results.length).toBeGreaterThan(clients.length)
  expect(await ended).toMatchObject({ code: 0 })
})

test('after the drain time, a request on an open connection gets a JSON response, and the connection closes', async () => {
  const server = await startMandate({ DATA_DIR: await dataFolder(), MANDATE_DRAIN_SECONDS: '0' })
  const { credential } = await register(server)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const url = `${server.url}/api/v1/environments`
  const results: Result[] = []
  let ended = false
  const done = server.stop().then(() => {
    ended = true
  })
  while (!ended) {
    const result = await get(url, agent, credential).catch(() => undefined)
    if (!result) break
    results.push(result)
  }
  await done
  for (const { status, type } of results) {
    expect(status).toBe(200)
    expect(type).toContain('application/json')
  }
})

/** Sends half of the body of a new API key. */
function halfSent(url: string, credential: string) {
  const body = JSON.stringify({ name: 'sent in two halves' })
  const headers = {
    authorization: `Bearer ${credential}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  }
  const sent = request(`${url}/api/v1/api-keys`, { method: 'POST', headers, agent: new Agent({ keepAlive: false }) })
  const status = new Promise<number | 'cut'>((resolve) => {
    sent.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', () => resolve('cut'))
  })
  sent.write(body.slice(0, 10))
  return { status, finish: () => sent.end(body.slice(10)) }
}

test('while draining, serves a request whose body still arrives, and waits only a limited time for a body that does not', {
  tags: ['long'],
}, async () => {
  const server = await startMandate({ DATA_DIR: await dataFolder() })
  const { credential } = await register(server)
  const [finished, abandoned] = [halfSent(server.url, credential), halfSent(server.url, credential)]
  await pause(500)
  const ended = server.stop()
  // By now the server accepts no new connections.
  await pause(2_000)
  finished.finish()
  expect(await finished.status).toBe(201)
  expect(await abandoned.status).toBe('cut')
  expect(await ended).toMatchObject({ code: 0 })
})
