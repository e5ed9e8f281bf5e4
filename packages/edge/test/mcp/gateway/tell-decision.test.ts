import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayWorld, startWorld } from '../testing/gateway-world.ts'
import { policyGuard, rulesFor } from '../testing/policy-guard.ts'
import { answerJson, answerStream, type Scripted, startScripted } from '../testing/scripted-upstream.ts'

const tell = { 'mandate-decision': 'tell' }
const document = rulesFor({ 'mcp:files/drop': 'deny' }, 'allow')
const result = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [] } })
let upstream: Scripted
let world: GatewayWorld
let watched: GatewayWorld

beforeAll(async () => {
  upstream = await startScripted()
  world = await startWorld({ files: { url: upstream.url } }, { guard: policyGuard(document) })
  watched = await startWorld({ files: { url: upstream.url } }, { guard: policyGuard(document, { mode: 'monitor' }) })
})
afterAll(async () => {
  await Promise.all([world.close(), watched.close()])
  await upstream.stop()
})

const message = (name: string, id = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
const post = (to: GatewayWorld, body: unknown, headers: Record<string, string> = tell) =>
  to.send('files', { method: 'POST', body: JSON.stringify(body), headers })
const told = (response: Response) => JSON.parse(response.headers.get('mandate-decision') ?? 'null')

it('a client that asks is told the decision that let its call pass, also with an answer as a stream', async () => {
  for (const answer of [answerJson(result), answerStream(`data: ${result}\n\n`)]) {
    upstream.script(answer)
    expect(told(await post(world, message('read')))).toEqual({
      decision_id: expect.any(String),
      verdict: 'allow',
      enforced: true,
      rule: null,
      reason: expect.any(String),
      policy_version: expect.anything(),
    })
  }
  expect(upstream.received[0]?.headers).not.toHaveProperty('mandate-decision')
})

it('a call that passes in monitor mode is told as denied and not enforced', async () => {
  upstream.script(answerJson(result))
  const { verdict, enforced, rule } = told(await post(watched, message('drop')))
  expect([verdict, enforced, rule.name]).toEqual(['deny', false, 'deny mcp:files/drop'])
  expect(upstream.received).toHaveLength(1)
})

it('no header: without the question, for a call that is stopped, for a batch, for a message without a decision', async () => {
  upstream.script(answerJson(result))
  expect(told(await post(world, message('read'), {}))).toBeNull()
  expect(told(await post(world, message('read'), { 'mandate-decision': 'yes' }))).toBeNull()
  expect(told(await post(world, [message('read')]))).toBeNull()
  expect(told(await post(world, { jsonrpc: '2.0', id: 1, method: 'ping' }))).toBeNull()
  const stopped = await post(world, message('drop'))
  expect(told(stopped)).toBeNull()
  expect((await stopped.json()).result._meta['mandate/decision'].verdict).toBe('deny')
})

it('a tool server cannot write the header', async () => {
  upstream.script(answerJson(result, 200, { 'mandate-decision': '{"verdict":"deny"}' }))
  expect(told(await post(world, message('read'), {}))).toBeNull()
  expect(told(await post(world, message('read'))).verdict).toBe('allow')
})

it('long texts of a rule are cut, and other characters than ASCII are escaped', async () => {
  const long = '\u{1f600}é\n'.repeat(2000)
  const rules = rulesFor({ 'mcp:files/*': 'allow' }).rules.map((rule) => ({
    ...rule,
    name: 'é'.repeat(200),
    reason: long,
  }))
  const wordy = await startWorld(
    { files: { url: upstream.url } },
    { guard: policyGuard({ default_effect: 'deny', rules }) },
  )
  try {
    upstream.script(answerJson(result))
    const response = await post(wordy, message('read'))
    expect(response.headers.get('mandate-decision')).toMatch(/^[\x20-\x7e]+$/)
    expect([told(response).reason, told(response).rule.name]).toEqual([long.slice(0, 500), 'é'.repeat(200)])
  } finally {
    await wordy.close()
  }
})
