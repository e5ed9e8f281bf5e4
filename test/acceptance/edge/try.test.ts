import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { joinControlPlane, type Organization, rule, type TestAgent } from './control-plane.ts'
import { stateFolder } from './edge-in-test.ts'
import { type ServedEdge, startServedEdge } from './served-edge.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const rules = [
  rule('allow', ['mcp:files/read']),
  rule('deny', ['mcp:files/delete'], { name: 'Deletes', reason: 'deletes are denied' }),
  rule('require_approval', ['mcp:files/write']),
]

let plane: Organization
let agent: TestAgent

beforeAll(async () => {
  plane = await joinControlPlane({ plan: 'pro' })
  agent = await plane.newAgent({ rules })
})

const startEdge = async (of = agent) => startServedEdge(plane.server.url, of, await stateFolder())

function tryAt({ url, stateDir }: Pick<ServedEdge, 'url' | 'stateDir'>, ...words: string[]) {
  const args = ['packages/cli/bin/mandate.js', 'try', '--edge', url, ...words]
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', MANDATE_EDGE_STATE: stateDir }
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile('node_modules/.bin/node', args, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

it('prints the decision about a call, with its own exit code for each effect', async () => {
  const edge = await startEdge()
  const allowed = await tryAt(edge, '--agent', 'agent', 'mcp:files/read', '{"path": "/srv/notes.md"}')
  expect(allowed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Decision +Allowed$/m) })
  expect(allowed.stderr).toBe('Nothing was executed: mandate try only decides the call.\n')
  const denied = await tryAt(edge, '--agent', agent.id, 'mcp:files/delete')
  expect(denied).toMatchObject({ code: 2, stdout: expect.stringMatching(/^Decision +Denied$/m) })
  expect(denied.stdout).toMatch(/^Rule +Deletes$/m)
  expect(denied.stdout).toContain('deletes are denied')
  const held = await tryAt(edge, 'mcp:files/write', '-o', 'json')
  expect(held.code).toBe(3)
  expect(JSON.parse(held.stdout)).toMatchObject({
    tool: 'mcp:files/write',
    verdict: 'require_approval',
    approval: { approval_id: expect.any(String) },
  })
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
