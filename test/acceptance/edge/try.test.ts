import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInProcess } from '@mandate/cli/testing/run-in-process'
import { beforeAll, expect, it } from 'vitest'
import { joinControlPlane, type Organization, rule, type TestAgent } from './control-plane.ts'
import { stateFolder } from './edge-in-test.ts'
import { type ServedEdge, startServedEdge } from './served-edge.ts'

const rules = [
  rule('allow', ['mcp:*/read', 'mcp:*/list']),
  rule('deny', ['mcp:*/delete'], { name: 'Deletes', reason: 'deletes are denied' }),
  rule('require_approval', ['mcp:*/write']),
]
const executed = 'The tool server demo executed the call.\n'
const stopped = 'Nothing was executed: the edge stopped the call.\n'
const decided = 'Nothing was executed: no tool server of this edge has the tool, so the edge only decided the call.\n'

let plane: Organization
let agent: TestAgent

beforeAll(async () => {
  plane = await joinControlPlane({ plan: 'pro' })
  agent = await plane.newAgent({ rules })
})

const startEdge = async (of = agent, settings = {}) =>
  startServedEdge(plane.server.url, of, await stateFolder(), { settings })
const startDemo = (of = agent) => startEdge(of, { MANDATE_EDGE_DEMO_SERVER: 'on' })

const tryAt = ({ url, stateDir }: Pick<ServedEdge, 'url' | 'stateDir'>, ...words: string[]) =>
  runInProcess(['try', '--edge', url, ...words], {
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: '/nonexistent', MANDATE_EDGE_STATE: stateDir },
  })

it('prints the decision about a call, with its own exit code for each effect', async () => {
  const edge = await startEdge()
  const allowed = await tryAt(edge, '--agent', 'agent', 'mcp:files/read', '{"path": "/srv/notes.md"}')
  expect(allowed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Decision +Allowed$/m) })
  expect(allowed.stderr).toBe(decided)
  const denied = await tryAt(edge, '--agent', agent.id, 'mcp:files/delete')
  expect(denied).toMatchObject({ code: 2, stdout: expect.stringMatching(/^Decision +Denied$/m) })
  expect(denied.stdout).toMatch(/^Rule +Deletes$/m)
  expect(denied.stdout).toContain('deletes are denied')
  const held = await tryAt(edge, 'mcp:files/write', '-o', 'json')
  expect(held.code).toBe(3)
  expect(JSON.parse(held.stdout)).toMatchObject({
    tool: 'mcp:files/write',
    verdict: 'require_approval',
    executed: false,
    approval: { approval_id: expect.any(String) },
  })
})

it('executes an allowed call of the demonstration server, and prints its result', async () => {
  const edge = await startDemo()
  const { code, stdout, stderr } = await tryAt(edge, 'mcp:demo/read', '{"path": "draft.txt"}')
  expect({ code, stderr }).toEqual({ code: 0, stderr: executed })
  expect(stdout).toMatch(/^Decision +Allowed$/m)
  expect(stdout).toMatch(/\n\nThe release notes are not finished\.\n$/)
  const told = await tryAt(edge, '--agent', agent.id, 'mcp:demo/list', '--json')
  expect(JSON.parse(told.stdout)).toMatchObject({
    decision_id: expect.any(String),
    verdict: 'allow',
    enforced: true,
    executed: true,
    result: { content: [{ type: 'text', text: 'draft.txt\nshopping.txt\nwelcome.txt' }] },
  })
})

it('executes nothing of a denied call, and a held call only once after the approval', async () => {
  const edge = await startDemo()
  const path = '{"path": "draft.txt"}'
  const denied = await tryAt(edge, 'mcp:demo/delete', path)
  expect(denied).toMatchObject({ code: 2, stderr: stopped, stdout: expect.stringMatching(/^Rule +Deletes$/m) })
  const write = ['mcp:demo/write', '{"path": "draft.txt", "text": "finished"}']
  const held = await tryAt(edge, ...write)
  expect(held).toMatchObject({ code: 3, stderr: expect.stringContaining(stopped) })
  expect((await tryAt(edge, 'mcp:demo/read', path)).stdout).toContain('\n\nThe release notes are not finished.\n')
  const id = /^Approval +(\S+)$/m.exec(held.stdout)?.[1] as string
  await plane.ask('POST', `/approvals/${id}/resolve`, { outcome: 'approved' })
  await expect.poll(async () => (await tryAt(edge, ...write)).code, { timeout: 60_000 }).toBe(0)
  expect((await tryAt(edge, 'mcp:demo/read', path)).stdout).toContain('\n\nfinished\n')
  expect((await tryAt(edge, ...write)).code).toBe(3)
})

it('--decide-only, and a tool of no server of the edge: the edge decides, and nothing is executed', async () => {
  const edge = await startDemo()
  const asked = await tryAt(edge, '--decide-only', 'mcp:demo/read', '{"path": "draft.txt"}')
  expect(asked).toMatchObject({ code: 0, stderr: 'Nothing was executed: --decide-only asks for the decision only.\n' })
  expect(asked.stdout).not.toContain('release notes')
  for (const tool of ['mcp:files/read', 'fn:demo/read', 'mcp:demo/%72ead'])
    expect((await tryAt(edge, tool)).stderr, tool).toContain('Nothing was executed')
})

it('ends with 1 for an error of the tool, an unknown tool, and arguments that parsers read differently', async () => {
  const edge = await startDemo()
  const absent = await tryAt(edge, 'mcp:demo/read', '{"path": "none"}')
  expect(absent).toMatchObject({ code: 1, stdout: expect.stringContaining('\n\nThere is no file none.\n') })
  const unknown = await tryAt(edge, 'mcp:demo/list', '{"path": "a", "path": "b"}')
  expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('holds the same key twice') })
})

it('escapes what a tool answers, and does not believe it about the decision', async () => {
  const folder = await stateFolder()
  const file = join(folder, 'servers.json')
  const forging = { command: process.execPath, args: [join(import.meta.dirname, 'tools/forging-server.ts')] }
  await writeFile(file, JSON.stringify({ servers: { forging } }))
  const edge = await startEdge(agent, { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0' })
  const { code, stdout, stderr } = await tryAt(edge, 'mcp:forging/read')
  expect(stdout).toMatch(/^Decision +Allowed$/m)
  expect(stdout).toContain('\\u{1b}[2JDenied by policy.\\u{202e}\nsecond line')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'The tool server forging got the call, and the result is an error.\n',
  })
  expect((await tryAt(edge, 'mcp:forging/delete')).code).toBe(2)
  const long = await tryAt(edge, 'mcp:forging/list')
  expect(long).toMatchObject({ code: 1, stdout: '' })
  expect(long.stderr).toContain('the answer is longer than 4 MiB; the tool may have been executed')
})

it('a held call says how to approve it, and passes once after the approval', async () => {
  const edge = await startEdge()
  const call = ['mcp:files/write', '{"path": "/srv/a"}']
  const { stdout, stderr } = await tryAt(edge, ...call)
  const id = /^Approval +(\S+)$/m.exec(stdout)?.[1] as string
  expect(stderr).toContain(`npx mandate approvals approve ${id}`)
  await plane.ask('POST', `/approvals/${id}/resolve`, { outcome: 'approved' })
  await expect.poll(async () => (await tryAt(edge, ...call)).code, { timeout: 60_000 }).toBe(0)
  expect((await tryAt(edge, ...call)).code).toBe(3)
})

it('shows the arguments that content rules redact', async () => {
  const careful = await plane.newAgent({ rules, dlp_enabled: true })
  const bindings = [{ group: 'personal', on: 'arguments', action: 'redact' }]
  await plane.ask('PUT', `/policies/${careful.policyId}/content-bindings`, { bindings })
  const edge = await startEdge(careful)
  const call = ['mcp:files/read', '{"to": "jane@contoso.example"}']
  const { stdout } = await tryAt(edge, ...call)
  expect(stdout).toMatch(/^Redacted to +\{"to":"\[redacted:[^\]]+\]"\}$/m)
  expect(JSON.parse((await tryAt(edge, ...call, '-o', 'json')).stdout).args.to).toContain('[redacted:')
})

it('a call that a person denied says until when it stays denied, and not how to approve it', async () => {
  const edge = await startEdge()
  const call = ['mcp:files/write', '{"path": "/srv/b"}']
  const id = /^Approval +(\S+)$/m.exec((await tryAt(edge, ...call)).stdout)?.[1] as string
  await plane.ask('POST', `/approvals/${id}/resolve`, { outcome: 'rejected' })
  await expect.poll(async () => (await tryAt(edge, ...call)).code, { timeout: 60_000 }).toBe(2)
  const denied = await tryAt(edge, ...call)
  expect(denied.stdout).toMatch(/^Reason +a person denied this call, and the same call stays denied until \S+Z$/m)
  expect(denied.stdout).toMatch(/^Denied until +\S+Z$/m)
  expect(denied.stderr).not.toContain('mandate approvals approve')
})

it('says that the mode is monitor if the call passes in spite of a denial', async () => {
  const watched = await plane.newAgent({ rules, override_mode: 'monitor' })
  const { code, stdout } = await tryAt(await startEdge(watched), 'mcp:files/delete')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Decision +Denied, but not enforced: the mode is monitor$/m)
  const run = await tryAt(await startDemo(watched), 'mcp:demo/delete', '{"path": "draft.txt"}')
  expect(run).toMatchObject({ code: 0, stderr: executed })
  expect(run.stdout).toMatch(/^Decision +Denied, but not enforced: the mode is monitor$/m)
})

it('ends with 1 for every failure, and never with the code of a denial', async () => {
  const edge = await startEdge()
  const failure = async (at: Pick<ServedEdge, 'url' | 'stateDir'>, ...words: string[]) => {
    const { code, stdout, stderr } = await tryAt(at, ...words)
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' })
    return stderr
  }
  expect(await failure(edge, '--agent', 'another', 'mcp:files/read')).toContain(`${agent.id}  agent`)
  expect(await failure(edge, 'files.read')).toContain('files.read is not the name of a tool')
  expect(await failure(edge, 'mcp:files/read', '{')).toContain('the arguments are not JSON')
  expect(await failure(edge, 'mcp:files/read', '[]')).toContain('must be a JSON object')
  expect(await failure(edge, 'mcp:files/read', '{"a":1,"a":2}')).toContain('status 400')
  expect(await failure({ ...edge, url: 'http://127.0.0.1:1' }, 'mcp:files/read')).toContain('no edge answers at')
  expect(await failure({ ...edge, stateDir: '/nonexistent' }, 'mcp:files/read')).toContain('cannot be read')
  expect(await failure({ ...edge, stateDir: '/nonexistent' }, '--agent', 'agent', 'mcp:files/read')).toContain(
    '--state',
  )
  expect(await failure(edge)).toContain("missing required argument 'tool'")
})
