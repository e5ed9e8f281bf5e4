import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ProfilesRequest } from '@mandate/contract/edge-push'
import { expect, onTestFinished, test } from 'vitest'
import { controlPlaneAt } from '../control-plane/control-plane.ts'
import { fetchProfiles } from './fetch-profiles.ts'

/** A control plane that answers requests for profiles as a test says. */
async function startPlane(answer: (request: ProfilesRequest) => object) {
  const requests: ProfilesRequest[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    requests.push(body)
    response.end(JSON.stringify({ data: [], unchanged: [], remaining: [], ...answer(body) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { plane: controlPlaneAt(url, 'ek_test'), requests }
}

const agentsNamed = (count: number) => Array.from({ length: count }, (_, n) => ({ agentId: `a${n}`, hash: `h${n}` }))

async function pagesOf(pages: ReturnType<typeof fetchProfiles>): Promise<string[][]> {
  const read: string[][] = []
  for await (const { agentIds } of pages) read.push([...agentIds])
  return read
}

test('requests at most 500 agents at a time, and the next ones after the answer was read', async () => {
  const { plane, requests } = await startPlane(() => ({}))
  const pages = fetchProfiles(plane, { agents: agentsNamed(1_100) })
  const { value } = await pages.next()
  expect([value?.agentIds.length, requests.length]).toEqual([500, 1])
  expect((await pagesOf(pages)).map(({ length }) => length)).toEqual([500, 100])
  expect(requests.map(({ known_hashes = [] }) => known_hashes.length)).toEqual([500, 500, 100])
})

test('requests remaining agents again, also if an answer names agents that were not asked for', async () => {
  const { plane, requests } = await startPlane(({ agent_ids }) => ({ remaining: [...agent_ids.slice(1), 'other'] }))
  expect(await pagesOf(fetchProfiles(plane, { agents: agentsNamed(3) }))).toEqual([['a0'], ['a1'], ['a2']])
  expect(requests.map(({ agent_ids }) => agent_ids)).toEqual([['a0', 'a1', 'a2'], ['a1', 'a2'], ['a2']])
})

test.each<[string, (request: ProfilesRequest) => object]>([
  ['says nothing about any agent', ({ agent_ids }) => ({ remaining: agent_ids })],
  ['is not complete', () => ({ remaining: undefined })],
  ['is too long', () => ({ data: [{ agent_id: 'x'.repeat(9_000_000) }] })],
])('gives up after one answer that %s', async (_, answer) => {
  const { plane, requests } = await startPlane(answer)
  await expect(pagesOf(fetchProfiles(plane, { agents: agentsNamed(3) }))).rejects.toThrow()
  expect(requests.length).toBe(1)
})
