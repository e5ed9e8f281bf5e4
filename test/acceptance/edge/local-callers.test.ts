import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { joinControlPlane, type Organization, rule, type TestAgent } from './control-plane.ts'
import { stateFolder } from './edge-in-test.ts'
import { decideAt } from './edge-process.ts'
import { type ServedEdge, startServedEdge } from './served-edge.ts'

let plane: Organization
let agent: TestAgent

beforeAll(async () => {
  plane = await joinControlPlane()
  agent = await plane.newAgent({
    rules: [
      rule('allow', ['mcp:files/read', 'fn:agent/Read'], { name: 'reading' }),
      rule('deny', ['fn:agent/Bash'], { name: 'no shell', reason: 'shells are closed' }),
      rule('require_approval', ['mcp:files/write']),
      rule('allow', ['mcp:files/read__all', 'mcp:notes/read']),
      rule('deny', ['mcp:files__read/*'], { reason: 'fine print' }),
      rule('deny', ['mcp:notes/read'], {
        match: { tools: ['mcp:notes/read'], when: [{ path: 'args.__proto__.path', op: 'starts_with', value: '/etc' }] },
        reason: 'not there',
      }),
    ],
  })
})

const read = { tool: 'mcp:files/read', args: {} }
const startEdge = async (settings = {}) => startServedEdge(plane.server.url, agent, await stateFolder(), { settings })

/** Sends a request with exactly these headers. Returns the status. */
function rawPost(edge: ServedEdge, headers: Record<string, string>, path = '/edge/v1/decide', method = 'POST') {
  return new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${edge.url}${path}`, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.once('error', reject)
    sent.end(method === 'POST' ? JSON.stringify(read) : undefined)
  })
}

describe('GET /healthz', () => {
  it('reports that the edge is open, and that it is closed once its agent is suspended', async () => {
    const suspended = await plane.newAgent({ rules: [rule('allow', ['mcp:files/read'])] })
    const edge = await startServedEdge(plane.server.url, suspended, await stateFolder())
    const health = async () => (await fetch(`${edge.url}/healthz`)).json()
    expect(await health()).toEqual({ status: 'ok', agents: [{ agent_id: suspended.id, closed: false }] })
    await plane.ask('POST', `/agents/${suspended.id}/suspend`)
    const reason = 'the agent may not act now, or has no policy'
    await expect.poll(health, { timeout: 60_000 }).toEqual({
      status: 'closed',
      agents: [{ agent_id: suspended.id, closed: true, code: 'may_not_act', reason }],
    })
  })
})

describe('POST /edge/v1/decide', () => {
  it('200 with the decision', async () => {
    const edge = await startEdge()
    expect(await decideAt(edge, { ...read, agent_id: agent.id.toUpperCase() })).toEqual({
      status: 200,
      body: {
        decision_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        verdict: 'allow',
        enforced: true,
        rule: { id: expect.any(String), name: 'reading' },
        reason: 'rule "reading"',
        policy_version: 1,
      },
    })
    const { body } = await decideAt(edge, { tool: 'mcp:files/write', args: {} })
    expect(body.approval).toEqual({
      approval_id: expect.any(String),
      expires_at: expect.stringMatching(/Z$/),
      status: 'pending',
    })
  })

  it('401 without a valid local token, 404 for another agent or path, 405 for another method', async () => {
    const edge = await startEdge()
    const json = { 'content-type': 'application/json' }
    const authorized = { ...json, authorization: `Bearer ${edge.token}` }
    expect(await rawPost(edge, json)).toBe(401)
    expect(await rawPost(edge, { ...json, authorization: `Bearer ${'x'.repeat(67)}` })).toBe(401)
    expect(await rawPost(edge, { ...json, authorization: `Bearer ${agent.key}` })).toBe(401)
    expect((await decideAt(edge, { ...read, agent_id: agent.policyId })).status).toBe(404)
    expect(await rawPost(edge, authorized, '/edge/v1/other')).toBe(404)
    expect(await rawPost(edge, authorized, '/edge/v1/decide', 'GET')).toBe(405)
    expect(await rawPost(edge, {}, '/healthz', 'GET')).toBe(200)
  })

  it('403 for requests that a web page could send: a foreign Host, or any Origin', async () => {
    const edge = await startEdge({ MANDATE_EDGE_HOST_NAMES: 'edge.internal' })
    const port = new URL(edge.url).port
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${edge.token}` }
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example']) {
      expect(await rawPost(edge, { ...headers, host }), host).toBe(403)
      expect(await rawPost(edge, { host }, '/healthz', 'GET'), host).toBe(403)
    }
    for (const host of [`localhost:${port}`, '127.0.0.1', 'EDGE.internal:80']) {
      expect(await rawPost(edge, { ...headers, host }), host).toBe(200)
    }
    for (const origin of ['https://evil.example', 'null', edge.url]) {
      expect(await rawPost(edge, { ...headers, origin }), origin).toBe(403)
    }
  })

  it('400 that names the field, 413 or 415 for an invalid body, and never a 5xx', async () => {
    const edge = await startEdge()
    const bodies: [string | object, number][] = [
      ['{', 400],
      ['', 400],
      ['[]', 400],
      ['null', 400],
      [{ tool: '', args: {} }, 400],
      [{ tool: 1, args: {} }, 400],
      [{ tool: 'x'.repeat(1001), args: {} }, 400],
      [{ tool: read.tool }, 400],
      [{ ...read, args: [] }, 400],
      [{ ...read, args: 'x' }, 400],
      [{ ...read, agent_id: 'me' }, 400],
      [{ ...read, approval_id: 7 }, 400],
      ['{"tool":"mcp:files/read","args":{"id":1234567890123456789}}', 400],
      ['{"tool":"mcp:files/read","args":{"path":"/ok","path":"/etc"}}', 400],
      [`{"tool":"mcp:files/read","args":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`, 400],
      [{ ...read, args: { text: 'x'.repeat(1_048_576) } }, 413],
    ]
    for (const [body, status] of bodies) {
      expect((await decideAt(edge, body)).status, JSON.stringify(body).slice(0, 80)).toBe(status)
    }
    expect((await decideAt(edge, { ...read, args: [] })).body.error).toBe('args must be an object')
    expect((await decideAt(edge, read, { 'content-type': 'text/plain' })).status).toBe(415)
  })

  it('denies and records a call whose tool name or arguments no rule can match', async () => {
    const edge = await startEdge()
    const calls = [
      { tool: 'files/read', args: {} },
      { tool: 'mcp:files/read/more', args: {} },
      { tool: 'mcp:files/read ', args: {} },
      { tool: 'MCP:files/read', args: {} },
      { tool: 'mcp:files/re\u0000ad', args: {} },
      { tool: 'mcp:files/\ud800', args: {} },
      { tool: read.tool, args: { text: '\ud800' } },
    ]
    for (const call of calls) {
      const { status, body } = await decideAt(edge, call)
      expect([status, body.verdict, body.enforced], JSON.stringify(call).slice(0, 80)).toEqual([200, 'deny', true])
    }
    expect(edge.output()).not.toContain('cannot be recorded')
  })

  it('429 with Retry-After for more open requests than a token may have', async () => {
    const edge = await startEdge({ MANDATE_EDGE_MAX_OPEN: '1' })
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${edge.token}`, 'content-length': 9 }
    const slow = request(`${edge.url}/edge/v1/decide`, { method: 'POST', headers })
    slow.on('error', () => {})
    slow.flushHeaders()
    await expect.poll(async () => (await decideAt(edge, read)).status, { timeout: 60_000 }).toBe(429)
    slow.destroy()
    await expect.poll(async () => (await decideAt(edge, read)).status, { timeout: 60_000 }).toBe(200)
  })

  it('does not log its keys', async () => {
    const edge = await startEdge({ LOG_LEVEL: 'trace' })
    await decideAt(edge, read)
    await decideAt(edge, '{')
    for (const secret of [agent.key, edge.token]) expect(edge.output()).not.toContain(secret)
  })
})

describe('mandate edge', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url))

  function run(args: string[], env: Record<string, string>, input = '') {
    return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const options = { cwd: root, env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env } }
      const child = spawn('node_modules/.bin/node', ['packages/cli/bin/mandate.js', 'edge', ...args], options)
      let [stdout, stderr] = ['', '']
      child.stdout.on('data', (chunk) => (stdout += chunk))
      child.stderr.on('data', (chunk) => (stderr += chunk))
      child.once('close', (code) => resolve({ code, stdout, stderr }))
      child.stdin.on('error', () => {})
      child.stdin.end(input)
    })
  }
  const hook = (edge: Pick<ServedEdge, 'url' | 'stateDir'>, input: string | object) =>
    run(
      ['hook', '--edge', edge.url],
      { MANDATE_EDGE_AGENTS: agent.id, MANDATE_EDGE_STATE: edge.stateDir },
      typeof input === 'string' ? input : JSON.stringify(input),
    )

  it('hook: prints nothing for a call that passes, so that the agent’s own permissions apply', async () => {
    const edge = await startEdge()
    for (const tool_name of ['Read', 'mcp__files__read']) {
      const input = { hook_event_name: 'PreToolUse', session_id: 's', tool_name, tool_input: { path: 'a' } }
      expect(await hook(edge, input)).toEqual({ code: 0, stdout: '', stderr: '' })
    }
  })

  it('hook: exits with 2 for a stopped call and prints the reason as text and as JSON', async () => {
    const edge = await startEdge()
    const { code, stdout, stderr } = await hook(edge, { tool_name: 'Bash', tool_input: { command: 'ls' } })
    expect(code).toBe(2)
    expect(stderr).toBe('Stopped by policy (rule "no shell"): shells are closed.\n')
    expect(JSON.parse(stdout).hookSpecificOutput).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: stderr.trim(),
    })
    const held = await hook(edge, { tool_name: 'mcp__files__write', tool_input: {} })
    expect(held).toMatchObject({ code: 2, stderr: expect.stringContaining('a person must approve') })
  })

  it('hook: stops a call if any possible tool name is denied, or if a rule denies its argument __proto__', async () => {
    const edge = await startEdge()
    expect((await hook(edge, { tool_name: 'mcp__files__read__all', tool_input: {} })).stderr).toContain('fine print')
    const input = (path: string) => `{"tool_name":"mcp__notes__read","tool_input":{"__proto__":{"path":"${path}"}}}`
    expect((await hook(edge, input('/notes'))).code).toBe(0)
    expect(await hook(edge, input('/etc'))).toMatchObject({ code: 2, stderr: expect.stringContaining('not there') })
  })

  it('hook: stops the call with exit code 2 on every error', async () => {
    const edge = await startEdge()
    const call = { tool_name: 'Read', tool_input: {} }
    const ambiguous = '{"tool_name":"Read","tool_input":{"id":1234567890123456789}}'
    for (const input of ['', '{', '[]', '{"tool_input":{}}', '{"tool_name":"Read","tool_input":[]}', ambiguous]) {
      expect((await hook(edge, input)).code, input).toBe(2)
    }
    const long = await hook(edge, { ...call, tool_input: { text: 'x'.repeat(1_048_576) } })
    expect(long).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/answered 413: the body is over 1 MiB\. MANDATE_EDGE_MAX_REQUEST_MB/),
    })
    expect((await hook({ ...edge, url: 'http://127.0.0.1:1' }, call)).code).toBe(2)
    expect((await hook({ ...edge, stateDir: '/nonexistent' }, call)).code).toBe(2)
    expect((await run(['hook', '--unknown'], {}, JSON.stringify(call))).code).toBe(2)
    expect((await run(['hook'], { MANDATE_EDGE_TOKEN: 'x'.repeat(40) }, JSON.stringify(call))).code).toBe(2)
  })

  it('run: refuses to start with invalid settings, and prints one line per error', async () => {
    const { code, stderr } = await run(['run', '--port', 'many'], {
      MANDATE_URL: 'http://mandate.example.com',
      MANDATE_EDGE_AGENTS: `${agent.id},me`,
      MANDATE_EDGE_KEY: 'mk_1',
    })
    expect(code).toBe(1)
    for (const name of ['MANDATE_URL', 'MANDATE_EDGE_AGENTS', 'MANDATE_EDGE_KEY', 'MANDATE_EDGE_PORT']) {
      expect(stderr.match(new RegExp(`^  - ${name}: must `, 'gm')), name).toHaveLength(1)
    }
    expect(stderr).not.toContain('mk_1')
  })
})
