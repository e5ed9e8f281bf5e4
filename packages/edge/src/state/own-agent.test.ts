import { createHmac, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import { agentsToServe } from './own-agent.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-own-agent-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

const away = { ask: () => Promise.reject(new ControlPlaneAway('ECONNREFUSED')) }

it('edges with the keys of two agents start from one folder while the control plane is away', async () => {
  const folder = await newFolder()
  const agents = ['ak_one', 'ak_two'].map((key) => ({ key, id: randomUUID() }))
  for (const { key, id } of agents) {
    const body = { credential: 'agent', agent: { id, name: key }, environment: null }
    await agentsToServe({ agentIds: [], key }, folder, { ask: async () => ({ status: 200, body }) })
  }
  for (const { key, id } of agents) expect(await agentsToServe({ agentIds: [], key }, folder, away)).toEqual([id])
})

it('an edge starts from the file of an earlier version while the control plane is away', async () => {
  const folder = await newFolder()
  const agent_id = randomUUID()
  const mac = createHmac('sha256', 'ak_one').update(`mandate edge own agent ${agent_id}`).digest('hex')
  await writeFile(join(folder, 'own-agent.json'), JSON.stringify({ agent_id, mac }))
  expect(await agentsToServe({ agentIds: [], key: 'ak_one' }, folder, away)).toEqual([agent_id])
  await expect(agentsToServe({ agentIds: [], key: 'ak_two' }, folder, away)).rejects.toThrow('start the edge again')
})

it.each([
  ['cannot be reached', new ControlPlaneAway('ECONNREFUSED'), /\(ECONNREFUSED\): start the edge again when/],
  ['does not use TLS', new ControlPlaneAway('ERR_SSL_WRONG_VERSION_NUMBER'), /use an address with http:\/\//],
  [
    'answers 503',
    new ControlPlaneAway('the control plane answered 503', 0, 503),
    /answered 503\): start the edge again/,
  ],
  [
    'refuses the key',
    new ControlPlaneRefused(401, 'the control plane answered 401'),
    /unknown, revoked or expired; .*--key-file/,
  ],
  ['has no such endpoint', new ControlPlaneRefused(404, 'the control plane answered 404'), /404\): check MANDATE_URL/],
  ['answers something else', null, /is invalid\): check MANDATE_URL/],
])('an edge without a stored agent says what to do if the control plane %s', async (_, error, text) => {
  const folder = await newFolder()
  const plane = { ask: async () => (error ? Promise.reject(error) : { status: 200, body: { agent: 1 } }) }
  const starting = agentsToServe({ agentIds: [], key: 'ak_test' }, folder, plane).catch((thrown: Error) => thrown)
  const { message } = (await starting) as Error
  expect(message).toMatch(text)
  if (!(error instanceof ControlPlaneAway)) expect(message).not.toContain('start the edge again')
})
