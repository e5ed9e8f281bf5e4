import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ControlPlaneAway, controlPlaneAt, QuietTime } from './control-plane.ts'
import { planeStreamsAt } from './plane-stream.ts'

/** A control plane that sends `answers` one after the other, and repeats the last one. */
async function startPlane(...answers: ((response: ServerResponse) => void)[]) {
  let requests = 0
  const server = createServer((_request, response) => {
    answers[Math.min(requests, answers.length - 1)]?.(response)
    requests += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  let nowMs = 1000
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const refused: string[] = []
  const onKeyRefused = ({ message }: Error) => void refused.push(message)
  const quiet = new QuietTime(() => nowMs)
  const plane = controlPlaneAt(url, `ek_${'0'.repeat(64)}`, quiet, onKeyRefused)
  const openStream = () => planeStreamsAt(url, 'ek_', quiet).open('/edge/stream', new AbortController().signal)
  return { plane, openStream, refused, requests: () => requests, pass: (ms: number) => (nowMs += ms) }
}

const limited = (retryAfter?: string) => (response: ServerResponse) => {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
  response.writeHead(429).end('{"error":"too many requests","code":429}')
}
const fine = (response: ServerResponse) => void response.end('{}')

test('after a 429 no part of the edge sends anything until the time in Retry-After', async () => {
  const { plane, openStream, requests, pass } = await startPlane(limited('7'), fine)
  await expect(plane.ask({ method: 'POST', path: '/edge/heartbeat', body: {} })).rejects.toThrow(ControlPlaneAway)
  for (const path of ['/edge/heartbeat', '/edge/decisions', '/edge/execution-stats']) {
    await expect(plane.ask({ method: 'POST', path, body: {} })).rejects.toThrow(/asked to wait 7 s more/)
  }
  await expect(openStream()).rejects.toThrow(/asked to wait 7 s more/)
  pass(6_999)
  await expect(openStream()).rejects.toMatchObject({ retryAfterMs: 1 })
  await expect(plane.ask({ path: '/edge/signing-key' })).rejects.toThrow(ControlPlaneAway)
  expect(requests()).toBe(1)
  pass(1)
  expect((await plane.ask({ path: '/edge/signing-key' })).status).toBe(200)
  expect(requests()).toBe(2)
})

test.each([
  ['503 with Retry-After', 503, '7', 7000],
  ['503 with a Retry-After of years', 503, '999999999', 120_000],
  ['502 without Retry-After', 502, undefined, 0],
])('an error names how long the control plane asked to wait: %s', async (_, status, retryAfter, retryAfterMs) => {
  const { plane, requests } = await startPlane((response) => {
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
    response.writeHead(status).end('{"error":"not now"}')
  }, fine)
  await expect(plane.ask({ path: '/edge/signing-key' })).rejects.toMatchObject({
    name: 'ControlPlaneAway',
    retryAfterMs,
  })
  // Only a 429 concerns the other parts of the edge.
  expect((await plane.ask({ path: '/edge/signing-key' })).status).toBe(200)
  expect(requests()).toBe(2)
})

test('a stream that is refused with 429 names how long to wait, and does not concern other requests', async () => {
  const { plane, openStream } = await startPlane(limited('30'), fine)
  await expect(openStream()).rejects.toMatchObject({ name: 'ControlPlaneAway', retryAfterMs: 30_000, status: 429 })
  expect((await plane.ask({ path: '/edge/signing-key' })).status).toBe(200)
})

test('waits at most two minutes after a 429, also for an absent or malformed Retry-After', async () => {
  const { plane, requests, pass } = await startPlane(
    limited(),
    limited('soon'),
    limited('-1'),
    limited('999999999'),
    fine,
  )
  for (let sent = 1; sent <= 4; sent += 1) {
    await expect(plane.ask({ path: '/edge/signing-key' })).rejects.toThrow(ControlPlaneAway)
    expect(requests()).toBe(sent)
  }
  pass(119_999)
  await expect(plane.ask({ path: '/edge/signing-key' })).rejects.toThrow(ControlPlaneAway)
  expect(requests()).toBe(4)
  pass(1)
  expect((await plane.ask({ path: '/edge/signing-key' })).status).toBe(200)
})

test.each(['/edge/heartbeat', '/edge/decisions', '/edge/profiles', '/approvals'])(
  'a 401 on a request to %s says at once that the key is refused, and no other status does',
  async (path) => {
    const answering = (status: number) => (response: ServerResponse) => void response.writeHead(status).end('{}')
    const statuses = [200, 400, 403, 404, 409, 503, 401]
    const { plane, refused } = await startPlane(...statuses.map(answering))
    for (const status of statuses) {
      await plane.ask({ method: 'POST', path, body: {} }).catch(() => {})
      expect(refused).toEqual(status === 401 ? ['the control plane answered 401'] : [])
    }
  },
)
