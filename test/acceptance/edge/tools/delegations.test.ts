// May take over 10 s: starts an edge and an agent of its own for each kind of delegation.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { guard } from '@mandate/sdk'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { callApi, register } from '../../call-api.ts'
import { joinControlPlane, type Organization, rule, type TestAgent } from '../control-plane.ts'
import { type EdgeInTest, edgeFor, stateFolder } from '../edge-in-test.ts'
import { decideAt } from '../edge-process.ts'
import { type Json, startMiddle } from '../middle.ts'
import { missedMs, startServedEdge } from '../served-edge.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const node = join(root, 'node_modules/.bin/node')
let plane: Organization
beforeAll(async () => {
  plane = await joinControlPlane()
})

const soon = { timeout: 60_000 }
const hourMs = 3_600_000
const read = { tool: 'mcp:files/read_text', args: { path: '/a' } }
const write = { tool: 'mcp:files/write', args: {} }
const remove = { tool: 'mcp:files/delete', args: {} }
const newAgent = () =>
  plane.newAgent({
    default_effect: 'deny',
    rules: [rule('require_approval', ['mcp:files/delete']), rule('allow', ['mcp:files/*', 'fn:math/*'])],
  })
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const delegate = (agent: TestAgent, changed: object = {}): Promise<{ id: string; token: string }> =>
  plane.ask('POST', '/delegations', {
    agent_id: agent.id,
    tools: ['mcp:files/read*', 'mcp:files/delete', 'fn:math/add'],
    expires_at: inMs(hourMs),
    ...changed,
  })
const delegateOn = async (from: TestAgent, to: TestAgent, parent: string, changed: object = {}) => {
  const body = { parent, agent_id: to.id, tools: ['mcp:files/read*'], expires_at: inMs(hourMs / 2), ...changed }
  const answer = await callApi(plane.server, 'POST', '/edge/delegations', { body, credential: from.key })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as { id: string; token: string }
}
const decide = (edge: EdgeInTest, { id }: TestAgent, delegation: string, call: typeof read | typeof write = read) =>
  edge.guardFor(id).decide({ ...call, delegation })
const outside = { verdict: 'deny', enforced: true, deniedBecause: 'delegation' }

describe('a started edge', () => {
  it('allows what the chain allows, denies what it does not, and denies after the revocation is pushed', async () => {
    const [first, agent] = [await newAgent(), await newAgent()]
    const parent = await delegate(first)
    const child = await delegateOn(first, agent, parent.id)
    const edge = await startServedEdge(plane.server.url, agent, await stateFolder(), {
      settings: { LOG_LEVEL: 'trace' },
    })
    const ask = async (call: object, token: string, headers = {}) =>
      (await decideAt(edge, { ...call, ...(token && { delegation: token }) }, headers)).body
    expect(await ask(read, child.token)).toMatchObject({ verdict: 'allow' })
    expect(await ask(read, '', { 'mandate-delegation': child.token })).toMatchObject({ verdict: 'allow' })
    for (const denied of [
      await ask(write, child.token),
      await ask(read, parent.token),
      await ask(read, `${child.token.slice(0, -5)}AAAAA`),
      await ask(read, 'nonsense'),
      await ask(read, child.token, { 'mandate-delegation': parent.token }),
    ])
      expect(denied).toMatchObject({ verdict: 'deny', enforced: true, denied_because: 'delegation' })
    await plane.ask('DELETE', `/delegations/${parent.id}`)
    await expect
      .poll(() => ask(read, child.token), soon)
      .toMatchObject({
        verdict: 'deny',
        denied_because: 'delegation',
        reason: 'the delegation, or one above it, has ended',
      })
    expect(await ask(read, '')).toMatchObject({ verdict: 'allow' })
    const chain = [
      { type: 'user', id: expect.any(String), name: expect.any(String) },
      { type: 'agent', id: first.id, name: 'agent' },
      { type: 'agent', id: agent.id, name: 'agent' },
    ]
    const decisions = async (): Promise<Json[]> => (await plane.ask('GET', `/decisions?agent_id=${agent.id}`)).data
    await expect.poll(async () => (await decisions()).length, soon).toBeGreaterThanOrEqual(9)
    const chains = (await decisions()).map((one) => [one.effect, one.denied_because, one.chain])
    expect(chains).toContainEqual(['allow', null, chain])
    expect(chains).toContainEqual(['deny', 'delegation', chain])
    expect(chains).toContainEqual(['deny', 'delegation', null])
    const said = edge.output() + plane.server.output() + JSON.stringify(await decisions())
    for (const { token } of [parent, child]) expect(said).not.toContain(token.slice(0, 60))
  })

  it('decides a hook’s call by the chain of MANDATE_DELEGATION, and stops it if the token is not valid', async () => {
    const [agent, other] = [await newAgent(), await newAgent()]
    const [held, foreign] = [await delegate(agent), await delegate(other)]
    const edge = await startServedEdge(plane.server.url, agent, await stateFolder())
    const hook = async (tool_name: string, delegation?: string) => {
      const env = {
        ...process.env,
        MANDATE_EDGE_LISTEN: edge.url,
        MANDATE_EDGE_TOKEN: edge.token,
        ...(delegation !== undefined && { MANDATE_DELEGATION: delegation }),
      }
      const child = spawn(node, ['packages/cli/bin/mandate.js', 'edge', 'hook'], { cwd: root, env })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
      child.stdin.end(JSON.stringify({ tool_name, tool_input: {} }))
      const [code] = await once(child, 'close')
      return { code, output }
    }
    const outsideChain = { code: 2, output: expect.stringContaining('delegation') }
    expect(await hook('mcp__files__read_text', held.token)).toEqual({ code: 0, output: '' })
    expect(await hook('mcp__files__write', held.token)).toEqual(outsideChain)
    expect(await hook('mcp__files__write')).toEqual({ code: 0, output: '' })
    expect(await hook('mcp__files__read_text', 'nonsense')).toEqual(outsideChain)
    const refused = await hook('mcp__files__read_text', foreign.token)
    expect(refused).toEqual(outsideChain)
    await plane.ask('DELETE', `/delegations/${held.id}`)
    let reads = 0
    const readAgain = async () => {
      reads++
      return await hook('mcp__files__read_text', held.token)
    }
    await expect.poll(readAgain, soon).toEqual(outsideChain)
    const decisions = async (): Promise<Json[]> =>
      (await plane.ask('GET', `/decisions?agent_id=${agent.id}&page_size=200`)).data
    await expect.poll(async () => (await decisions()).length, soon).toBe(5 + reads)
    const allowed = (await decisions()).filter(({ effect }) => effect === 'allow')
    // The first read, and each one before the edge knew that the delegation had ended.
    expect(allowed.map(({ tool, chain }) => [tool, chain?.length ?? 0]).sort()).toEqual([
      ...Array.from({ length: reads }, () => ['mcp:files/read_text', 2]),
      ['mcp:files/write', 0],
    ])
    const said = refused.output + edge.output() + JSON.stringify(await decisions())
    for (const { token } of [held, foreign]) expect(said).not.toContain(token.slice(0, 60))
  })

  it('passes a delegation on for an agent that holds it, and for no other', async () => {
    const [holder, receiver, thief] = [await newAgent(), await newAgent(), await newAgent()]
    const { edge_key: key } = await plane.ask('POST', '/edges', { name: 'edge', environment_id: plane.development })
    const parent = await delegate(holder)
    const startOf = async (agent: TestAgent) =>
      startServedEdge(plane.server.url, { ...agent, key }, await stateFolder())
    const [edge, beside, foreign] = [await startOf(holder), await startOf(receiver), await startOf(thief)]
    const asked = { delegation: parent.token, agent_id: receiver.id, tools: ['mcp:files/read*'] }
    const passOn = async ({ url, token }: { url: string; token: string }, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const sent = { expires_at: inMs(hourMs / 2), ...asked, ...body }
      const answer = await fetch(`${url}/edge/v1/delegations`, { method: 'POST', headers, body: JSON.stringify(sent) })
      return { status: answer.status, body: (await answer.json()) as Json }
    }
    const made = await passOn(edge, {})
    expect(made).toMatchObject({ status: 200, body: { token: expect.stringMatching(/^md_/) } })
    expect((await decideAt(beside, { ...read, delegation: made.body.token })).body).toMatchObject({ verdict: 'allow' })
    expect(await passOn(foreign, {})).toMatchObject({ status: 403 })
    expect(await passOn(edge, { delegation: 'nonsense' })).toMatchObject({ status: 403 })
    expect(await passOn(edge, { tools: ['*'] })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('is not covered by a pattern of the parent') },
    })
    expect(await passOn(edge, { agent_id: 'x' })).toMatchObject({ status: 400 })
    expect(await passOn({ ...edge, token: 'wrong' }, {})).toMatchObject({ status: 401 })
    await plane.ask('DELETE', `/delegations/${parent.id}`)
    await expect.poll(async () => (await passOn(edge, {})).status, soon).toBe(403)
  })

  it('denies a delegation that has expired', async () => {
    const agent = await newAgent()
    const edge = await startServedEdge(plane.server.url, agent, await stateFolder())
    const { token } = await delegate(agent, { expires_at: inMs(4_000) })
    const ask = async () => (await decideAt(edge, { ...read, delegation: token })).body
    await expect.poll(ask, soon).toMatchObject({ denied_because: 'delegation', reason: 'the delegation has expired' })
  })

  it('denies the delegation of an agent of another organization', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const { token } = await delegate(agent)
    expect(await decide(edge, agent, token)).toMatchObject({ verdict: 'allow' })
    const { credential } = await register(plane.server)
    const foreign = async (method: string, path: string, body?: object) =>
      (await callApi(plane.server, method, path, { body, credential })).body
    const { data } = await foreign('GET', '/environments')
    const { agent: other } = await foreign('POST', '/agents', { name: 'agent', environment_id: data[0].id })
    const theirs = await foreign('POST', '/delegations', {
      agent_id: other.id,
      tools: ['*'],
      expires_at: inMs(hourMs),
    })
    expect(await decide(edge, agent, theirs.token)).toMatchObject(outside)
  })

  it('shows the chain to the person who approves, and the approval is valid for this chain only', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const { token } = await delegate(agent)
    const held = await decide(edge, agent, token, remove)
    expect(held).toMatchObject({ verdict: 'require_approval' })
    const approvalId = held.approval?.approvalId as string
    const approval = await plane.ask('GET', `/approvals/${approvalId}`)
    expect(approval.chain.map(({ type }: Json) => type)).toEqual(['user', 'agent'])
    await plane.ask('POST', `/approvals/${approvalId}/resolve`, { outcome: 'approved' })
    const without = await edge.guardFor(agent.id).decide({ ...remove, approvalId })
    expect(without).toMatchObject({ verdict: 'require_approval' })
    expect(without.approval?.approvalId).not.toBe(approvalId)
    expect(await decide(edge, agent, token, remove)).toMatchObject({ verdict: 'allow' })
  })

  it('passes the delegation of the guard of the SDK', async () => {
    const agent = await newAgent()
    const edge = await startServedEdge(plane.server.url, agent, await stateFolder())
    const { token: delegation } = await delegate(agent)
    const options = { edgeUrl: edge.url, token: edge.token, delegation }
    const add = guard('fn:math/add', ({ a, b }: { a: number; b: number }) => a + b, options)
    expect(await add({ a: 1, b: 2 })).toBe(3)
    const multiply = guard('fn:math/multiply', () => 0, { ...options, delegation: () => delegation })
    await expect(multiply()).rejects.toThrow('the delegation does not allow this tool')
  })
})

describe('the MCP gateway', () => {
  const telling = fileURLToPath(new URL('./telling-server.ts', import.meta.url))

  /** A client of the gateway. `delegation` is sent in the header of each request. */
  const connected = async (agent: TestAgent, delegation?: string) => {
    const stateDir = await stateFolder()
    const file = join(stateDir, 'servers.json')
    await writeFile(file, JSON.stringify({ servers: { files: { command: node, args: [telling] } } }))
    const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0', LOG_LEVEL: 'trace' }
    const edge = await startServedEdge(plane.server.url, agent, stateDir, { settings })
    const url = new URL('/mcp/files', /"mcp_url":"([^"]+)"/.exec(edge.output())?.[1])
    const headers = {
      authorization: `Bearer ${edge.token}`,
      ...(delegation !== undefined && { 'mandate-delegation': delegation }),
    }
    const client = new Client({ name: 'agent', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    onTestFinished(() => client.close())
    const call = (token?: string) =>
      client.callTool({
        name: 'tell',
        arguments: {},
        ...(token !== undefined && { _meta: { 'mandate/delegation': token, kept: 'yes' } }),
      }) as Promise<Json>
    return { edge, client, call }
  }

  it('takes the token from _meta, and keeps it from the tool server and the log', async () => {
    const agent = await newAgent()
    const { edge, client, call } = await connected(agent)
    const { token } = await delegate(agent, { tools: ['mcp:files/tell'] })
    const other = await delegate(agent, { tools: ['mcp:files/other'] })
    const allowed = await call(token)
    expect(allowed.isError).toBeUndefined()
    expect(allowed.content[0].text).toContain('"kept":"yes"')
    const listed = await client.listTools({ _meta: { 'mandate/delegation': token } } as never)
    for (const said of [JSON.stringify(allowed), JSON.stringify(listed), edge.output()])
      expect(said).not.toContain(token.slice(0, 60))
    expect(await call(other.token)).toMatchObject({
      isError: true,
      _meta: { 'mandate/decision': { denied_because: 'delegation' } },
    })
    expect(await call('nonsense')).toMatchObject({ isError: true })
    expect((await call()).isError).toBeUndefined()
  })

  it('takes the token from the header, and denies a call that names two', async () => {
    const agent = await newAgent()
    const [one, two] = [await delegate(agent, { tools: ['mcp:files/tell'] }), await delegate(agent, { tools: ['*'] })]
    const { call } = await connected(agent, one.token)
    expect((await call()).isError).toBeUndefined()
    expect((await call(one.token)).isError).toBeUndefined()
    expect(await call(two.token)).toMatchObject({ isError: true })
    await plane.ask('DELETE', `/delegations/${one.id}`)
    await expect.poll(() => call(), soon).toMatchObject({ isError: true })
  })
})

describe('an edge that cannot know what has ended', () => {
  it('denies while the list was never fetched, and says so', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    middle.tamper = ({ path }, answer) => (path.includes('/delegations/ended') ? null : answer)
    const edge = await edgeFor(middle.url, agent)
    const { token } = await delegate(agent)
    expect(await decide(edge, agent, token)).toMatchObject({
      ...outside,
      reason: expect.stringContaining('does not know which delegations have ended'),
    })
    expect(await edge.guardFor(agent.id).decide(read)).toMatchObject({ verdict: 'allow' })
    middle.tamper = (_request, answer) => answer
    await expect.poll(() => decide(edge, agent, token), soon).toMatchObject({ verdict: 'allow' })
  })

  it('denies when heartbeats fail for long, also if policies are kept without the control plane', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const settings = { MANDATE_EDGE_KEEP_WHEN_AWAY: 'all' }
    const edge = await edgeFor(middle.url, agent, { settings })
    const { token } = await delegate(agent)
    expect(await decide(edge, agent, token)).toMatchObject({ verdict: 'allow' })
    middle.cut = true
    edge.advance({ wallMs: missedMs, monotonicMs: missedMs })
    expect(await edge.guardFor(agent.id).decide(read)).toMatchObject({ verdict: 'allow' })
    expect(await decide(edge, agent, token)).toMatchObject(outside)
  })

  it('remembers after a restart without the control plane what has ended', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const stateDir = await stateFolder()
    const edge = await edgeFor(middle.url, agent, { stateDir })
    const [ended, kept] = [await delegate(agent), await delegate(agent)]
    await plane.ask('DELETE', `/delegations/${ended.id}`)
    await edge.refresh()
    expect(await decide(edge, agent, ended.token)).toMatchObject(outside)
    expect(await decide(edge, agent, kept.token)).toMatchObject({ verdict: 'allow' })
    await edge.refresh()
    await edge.close()
    middle.cut = true
    const again = await edgeFor(middle.url, agent, { stateDir })
    expect(await decide(again, agent, ended.token)).toMatchObject(outside)
    expect(await decide(again, agent, kept.token)).toMatchObject({ verdict: 'allow' })
  })
})

describe('a clock that is wrong', () => {
  it.each([-hourMs, hourMs])('by %i ms neither extends nor shortens a delegation', async (clockAheadMs) => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent, { clockAheadMs })
    const { token } = await delegate(agent, { expires_at: inMs(30_000) })
    expect(await decide(edge, agent, token)).toMatchObject({ verdict: 'allow' })
    edge.advance({ wallMs: 30_000, monotonicMs: 30_000 })
    expect(await decide(edge, agent, token)).toMatchObject({ ...outside, reason: 'the delegation has expired' })
  })

  it('that is set back while the edge runs does not extend a delegation', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const { token } = await delegate(agent, { expires_at: inMs(30_000) })
    edge.advance({ wallMs: -hourMs })
    await edge.refresh()
    expect(await decide(edge, agent, token)).toMatchObject({ verdict: 'allow' })
    edge.advance({ wallMs: 30_000, monotonicMs: 30_000 })
    expect(await decide(edge, agent, token)).toMatchObject({ ...outside, reason: 'the delegation has expired' })
    onTestFinished(() => edge.close())
  })
})
