import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callApi, password, register, tokenMailedTo } from '../call-api.ts'
import { sharedMandate } from '../mandate-process.ts'
import { signedInUser } from './command-line-user.ts'

const mandate = sharedMandate()
const address = () => `owner-${randomUUID()}@example.com`

const command = fileURLToPath(new URL('../../../node_modules/.bin/mandate', import.meta.url))

async function setUp() {
  const server = mandate()
  const { email, credential } = await register(server, address())
  return { server, credential, user: await signedInUser(server, email) }
}

type User = Awaited<ReturnType<typeof setUp>>['user']

/** Creates the agent Reader under the policy “Read only”, with a pending onboarding review. Returns its id. */
async function governedAgent(user: User, environment = 'development'): Promise<string> {
  const file = join(user.folder, 'read-only.yaml')
  await writeFile(file, 'name: Read only\nenvironment: null\nrules: []\n')
  expect(await user.run(['policies', 'push', file])).toMatchObject({ code: 0 })
  const [{ agent }] = await user.json([
    'agents',
    'create',
    'Reader',
    '--environment',
    environment,
    '--policy',
    'Read only',
  ])
  return agent.id
}

/** Adds a person to the owner's organization and signs in on the command line. */
async function joinedUser(server: ReturnType<typeof mandate>, credential: string, role: string) {
  const email = `${role}-${randomUUID()}@example.com`
  const { tenant } = (await callApi(server, 'GET', '/auth/session', { credential })).body
  await callApi(server, 'POST', `/tenants/${tenant.id}/invite`, { credential, body: { email, role } })
  const token = await tokenMailedTo(server, email)
  const joined = await callApi(server, 'POST', '/auth/invitations/accept', { body: { token, password } })
  expect(joined.status).toBe(200)
  return await signedInUser(server, email)
}

test('creates an agent, shows its key once, and lists the agent', async () => {
  const { user } = await setUp()
  const created = await user.run([
    'agents',
    'create',
    'Reader',
    '--environment',
    'development',
    '--tool',
    'mcp:a/b',
    'mcp:a/c',
  ])
  expect(created.code).toBe(0)
  expect(created.stdout).toMatch(/^Key +ak_[0-9a-f]{64}$/m)
  expect(created.stderr).toContain('shown only now')
  const listed = await user.run(['agents', 'list'])
  expect(listed.stdout).toMatch(
    /^NAME +STATUS +LIFECYCLE_STATUS .*\nReader +registered +proposed +development +discovered .*\n$/,
  )

  const [shown, mistaken] = await Promise.all([
    user.json(['agents', 'show', 'Reader']),
    user.run(['agents', 'list', '--status', 'asleep']),
  ])
  expect(shown).toMatchObject([{ lifecycle_status: 'proposed', tools: ['mcp:a/b', 'mcp:a/c'] }])
  expect(mistaken).toMatchObject({ code: 2, stdout: '' })
})

test('resolves a review only once, and suspends, resumes, approves and archives an agent by name', async () => {
  const { user } = await setUp()
  const [{ agent }] = await user.json(['agents', 'create', 'Reader', '--environment', 'development'])
  const [review] = await user.json(['reviews', 'list'])
  expect(review).toMatchObject({ kind: 'onboarding', status: 'pending', agent_id: agent.id })
  const resolve = () => user.run(['reviews', 'resolve', review.id, 'reject', '--comment', 'unread'])
  const both = await Promise.all([resolve(), resolve()])
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
  for (const [verb, ...more] of [['suspend'], ['resume'], ['approve', '--direct', '--reason', 'good']])
    expect(await user.run(['agents', verb!, 'Reader', ...more])).toMatchObject({ code: 0, stdout: '' })
  expect(await user.run(['agents', 'approve', 'Reader', '--direct', '--reason', 'again'])).toMatchObject({
    code: 0,
    stderr: 'Reader is already approved; nothing changed.\n',
  })
  expect(await user.json(['agents', 'show', agent.id])).toMatchObject([
    { status: 'active', lifecycle_status: 'approved' },
  ])
  expect(await user.run(['agents', 'archive', 'Reader'])).toMatchObject({ code: 0 })
  const [gone, findings] = await Promise.all([user.run(['agents', 'show', 'Reader']), user.run(['findings', 'list'])])
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist, or you cannot see it') })
  expect(findings).toMatchObject({ code: 0, stderr: 'No open findings.\n' })
})

test('approves an agent by its pending review, which sets the approval of record', async () => {
  const { user } = await setUp()
  const id = await governedAgent(user)
  expect((await user.run(['agents', 'show', 'Reader'])).stdout).toMatch(
    /^Approval of record +none: .*drift is not detected$/m,
  )
  const approved = await user.run(['agents', 'approve', 'Reader', '--reason', 'read by security'])
  expect(approved).toMatchObject({ code: 0, stdout: '' })
  expect(approved.stderr).toBe(
    'Reader is approved by its onboarding review; the approval of record is v1 of Read only.\n',
  )
  const [agent] = await user.json(['agents', 'show', id])
  expect(agent).toMatchObject({ lifecycle_status: 'approved', approved_policy: { version: 1 } })
  expect((await user.run(['agents', 'show', 'Reader'])).stdout).toMatch(/^Approval of record +v1 of /m)
  const reviews = await user.json(['reviews', 'list', '--status', 'all'])
  expect(reviews).toMatchObject([{ kind: 'onboarding', status: 'approved', comment: 'read by security' }])
  expect(await user.json(['findings', 'list'])).toEqual([])
})

test('without a pending review, approves an agent only with --direct or after a review request', async () => {
  const { user } = await setUp()
  const id = await governedAgent(user)
  const [{ id: review }] = await user.json(['reviews', 'list'])
  await user.run(['reviews', 'resolve', review, 'reject', '--comment', 'unread'])
  const refused = await user.run(['agents', 'approve', 'Reader', '--reason', 'good'])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('Reader has no pending review')
  expect(refused.stderr).toContain('mandate reviews request Reader')
  expect(refused.stderr).toContain('--direct')
  expect(await user.json(['agents', 'show', id])).toMatchObject([{ lifecycle_status: 'blocked' }])

  const direct = await user.run(['agents', 'approve', 'Reader', '--direct', '--reason', 'good'])
  expect(direct).toMatchObject({ code: 0, stderr: expect.stringContaining('no approval of record, so drift is not') })
  expect(await user.json(['findings', 'list'])).toMatchObject([{ agent_id: id, type: 'approval_without_record' }])

  const requested = await user.run(['reviews', 'request', 'Reader'])
  expect(requested).toMatchObject({ code: 0, stderr: expect.stringContaining('waits for a manager') })
  expect(await user.run(['agents', 'approve', 'Reader', '--reason', 'read'])).toMatchObject({ code: 0 })
  expect(await user.json(['agents', 'show', id])).toMatchObject([{ approved_policy: { version: 1 } }])
  expect(await user.json(['findings', 'list'])).toEqual([])
})

test('shows a review by its agent’s name, with the change of the policy in words', async () => {
  const { server, credential, user } = await setUp()
  const id = await governedAgent(user)
  const [policy] = await user.json(['policies', 'list'])
  expect((await user.run(['reviews', 'list'])).stdout).toMatch(/ Reader +-\n/)
  const onboarding = await user.run(['reviews', 'show', 'Reader'])
  expect(onboarding).toMatchObject({ code: 0, stderr: '' })
  expect(onboarding.stdout).toMatch(/^Agent +Reader \(/m)
  expect(onboarding.stdout).toContain('To approve: version 1 of Read only. No review has approved a policy before.\n')
  expect(onboarding.stdout).toContain('  + default_effect: deny\n')
  expect(await user.run(['reviews', 'resolve', 'Reader', 'approve', '--comment', 'read'])).toMatchObject({ code: 0 })
  expect(await user.run(['reviews', 'show', 'Reader'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Reader has no pending review'),
  })

  const rule = { name: 'reading', priority: 1, effect: 'allow', match: { tools: ['mcp:files/read'] } }
  await callApi(server, 'POST', `/policies/${policy.id}/rules`, { credential, body: rule })
  await user.run(['reviews', 'request', 'Reader'])
  const [review] = await user.json(['reviews', 'list'])
  const changed = await user.run(['reviews', 'show', review.id])
  expect(changed.stdout).toContain(
    'Compared with the approval of record, version 1:\n  + rule “reading” at priority 1: allow',
  )
  expect(await user.json(['reviews', 'show', 'Reader'])).toMatchObject([{ id: review.id, agent_id: id }])
})

test('lists a finding with the name of its agent', async () => {
  const { user } = await setUp()
  await governedAgent(user)
  await user.run(['agents', 'approve', 'Reader', '--direct', '--reason', 'good'])
  expect((await user.run(['findings', 'list'])).stdout).toMatch(/^approval_without_record .* Reader +\S/m)
})

test('help works for nested commands and marks required options, and the error for a missing environment names the option', async () => {
  const { user } = await setUp()
  const help = await user.run(['help', 'agents', 'block'])
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: mandate agents block') })
  expect(help.stdout).toMatch(/--reason <text> .*\(required\)/)
  expect(await user.run(['help', 'agents', 'fly'])).toMatchObject({ code: 2, stdout: '' })
  expect(await user.run(['agents', 'block', 'x'])).toMatchObject({ code: 2, stdout: '' })
  const placeless = await user.run(['agents', 'create', 'Reader'])
  expect(placeless).toEqual({
    code: 2,
    stdout: '',
    stderr: 'mandate: --environment is required\n  environments you can see: production, development\n',
  })
})

test('refuses a manager’s approval of a production agent, because only an owner resolves its review', async () => {
  const { server, credential, user } = await setUp()
  const id = await governedAgent(user, 'production')
  const manager = await joinedUser(server, credential, 'manager')
  const refused = await manager.run(['agents', 'approve', 'Reader', '--reason', 'good'])
  expect(refused).toEqual({ code: 1, stdout: '', stderr: 'mandate: only an owner may resolve this review\n' })
  expect(await user.json(['agents', 'show', id])).toMatchObject([
    { lifecycle_status: 'proposed', approved_policy: null },
  ])
  expect(await user.json(['reviews', 'list'])).toMatchObject([{ agent_id: id, status: 'pending' }])
})

test('lists agents of every governance state, newest first, and reports how many archived agents it hides', async () => {
  const { server, credential, user } = await setUp()
  await governedAgent(user)
  for (const name of ['Found', 'Hidden', 'Gone'])
    await user.run(['agents', 'create', name, '--environment', 'development'])
  const [{ id }] = await user.json(['agents', 'show', 'Hidden'])
  expect((await callApi(server, 'POST', `/agents/${id}/suppress`, { credential })).status).toBe(204)
  await user.run(['agents', 'archive', 'Gone'])
  const names = async (...more: string[]) => (await user.json(['agents', 'list', ...more])).map(({ name }) => name)

  const listed = await user.run(['agents', 'list'])
  expect(listed.stderr).toBe('1 archived agent is not shown; --archived shows them\n')
  expect(await names()).toEqual(['Hidden', 'Found', 'Reader'])
  expect(await names('--archived')).toEqual(['Gone', 'Hidden', 'Found', 'Reader'])
  expect(await names('--status', 'archived')).toEqual(['Gone'])
  expect(await names('--governance-state', 'governed')).toEqual(['Reader'])
  expect(await names('--governance-state', 'discovered')).toEqual(['Found'])
  expect((await user.run(['agents', 'list', '--archived'])).stderr).toBe('')
})

test('rejects a name that two agents have, and escapes control characters in names', async () => {
  const { server, credential, user } = await setUp()
  const [{ id: environment_id }] = await user.json(['environments', 'list'])
  const name = 'evil\u001b[2Jone\u202e\nnext'
  for (let copy = 0; copy < 2; copy++) {
    const made = await callApi(server, 'POST', '/agents', { credential, body: { name, environment_id } })
    expect(made.status).toBe(201)
  }
  const twice = await user.run(['agents', 'show', name])
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('2 agents have the name') })
  const { stdout } = await user.run(['agents', 'list', '--governance-state', 'all'])
  expect(stdout).toContain('evil\\u{1b}[2Jone\\u{202e}\\nnext')
  for (const output of [stdout, twice.stderr, (await user.run(['audit', 'tail'])).stdout]) {
    for (const character of ['\u001b', '\u202e']) expect(output).not.toContain(character)
  }
  expect(
    (await user.json(['agents', 'list', '--governance-state', 'all', '--limit', '1'])).map((one) => one.name),
  ).toEqual([name])
})

test('shows a key once, lists it without the secret, and revokes it', async () => {
  const { user } = await setUp()
  const args = ['keys', 'create', 'ci', '--scope', 'agents:read', '--environment', 'development', '--expires', '90d']
  const [key] = await user.json(args)
  expect(key).toMatchObject({ raw_key: expect.stringMatching(/^mk_[0-9a-f]{64}$/), scopes: ['agents:read'] })
  const listed = await user.run(['keys', 'list'])
  expect(listed.stdout).toContain('active')
  expect(listed.stdout).not.toContain(key.raw_key)
  expect(await user.run(['keys', 'revoke', key.id])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('revoked'),
  })
  expect((await user.run(['keys', 'list'])).stdout).toContain('revoked')
  expect(await user.run(['keys', 'create', 'x', '--expires', 'soon'])).toMatchObject({ code: 2 })
  for (const scope of ['agent:read', 'agents:raed'])
    expect(await user.run(['keys', 'create', 'x', '--scope', scope])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(' did you mean agents:read?\n'),
    })
})

test('revokes a key by name or prefix, and lists both keys if the name is ambiguous', async () => {
  const { user } = await setUp()
  const [first] = await user.json(['keys', 'create', 'ci'])
  expect(await user.run(['keys', 'revoke', 'ci'])).toMatchObject({ code: 0 })
  const [second] = await user.json(['keys', 'create', 'ci'])
  const [third] = await user.json(['keys', 'create', 'ci'])
  const refused = await user.run(['keys', 'revoke', 'ci'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('2 keys have the name ci') })
  expect(refused.stderr).not.toContain(first.id)
  for (const { id, key_prefix } of [second, third]) expect(refused.stderr).toContain(`${id}  ${key_prefix}`)
  expect(await user.run(['keys', 'revoke', `${third.key_prefix}…`])).toMatchObject({ code: 0 })
  const keys = await user.json(['keys', 'list'])
  expect(keys.filter(({ revoked_at }) => !revoked_at)).toMatchObject([{ id: second.id }])
  expect(await user.run(['keys', 'revoke', 'none'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('key none does not exist'),
  })
})

test('rotates a key: the new key has the rights of the old one, which works until it is revoked', async () => {
  const { user } = await setUp()
  const scoped = ['--scope', 'agents:read', '--environment', 'development', '--expires', '90d']
  const [old] = await user.json(['keys', 'create', 'ci', ...scoped])
  const rotated = await user.run(['keys', 'rotate', 'ci', '--output', 'json'])
  const key = JSON.parse(rotated.stdout)
  expect(key).toMatchObject({ name: 'ci', scopes: old.scopes, environment_id: old.environment_id })
  expect(key.raw_key).not.toBe(old.raw_key)
  expect(key.expires_at > old.expires_at).toBe(true)
  expect(rotated.stderr).toContain(`mandate keys revoke ${old.key_prefix}\n`)
  expect(await user.run(['keys', 'revoke', old.key_prefix])).toMatchObject({ code: 0 })
  expect(await user.run(['keys', 'rotate', old.key_prefix])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the key ci is revoked; create a new key'),
  })
})

test('lists, shows and approves a held call, which the edge can then consume, and lists its calls', async () => {
  const { server, credential, user } = await setUp()
  await callApi(server, 'PUT', '/governance-gate', { credential, body: { gate: 'off' } })
  const [{ agent, agent_key }] = await user.json(['agents', 'create', 'janitor', '--environment', 'development'])
  const asOwner = (method: string, path: string, body?: object) => callApi(server, method, path, { credential, body })
  const { body: policy } = await asOwner('POST', '/policies', { name: 'careful', rules: [] })
  const [{ content_hash: policy_hash }] = (await asOwner('GET', `/policies/${policy.id}/versions`)).body.data
  await asOwner('POST', `/agents/${agent.id}/assign-policy`, { policy_id: policy.id })
  const use = { args_digest: createHash('sha256').update('call').digest('hex'), policy_version: 1, policy_hash }
  const approval_id = randomUUID()
  const body = {
    ...use,
    approval_id,
    agent_id: agent.id,
    policy_id: policy.id,
    tool: 'mcp:files/delete',
    reason: 'deletes',
  }
  const held = { ...body, arguments: { path: '/tmp/old' } }
  expect((await callApi(server, 'POST', '/edge/approvals', { credential: agent_key, body: held })).status).toBe(201)
  expect(await user.json(['approvals', 'list', '--agent', 'janitor'])).toMatchObject([{ id: approval_id }])
  expect((await user.run(['approvals', 'show', approval_id])).stdout).toContain('{"path":"/tmp/old"}')
  expect((await user.run(['approvals', 'show', 'janitor'])).stdout).toMatch(/^Policy +version 1 of careful$/m)
  const approved = await user.run(['approvals', 'approve', 'janitor', '--comment', 'go ahead'])
  const stderr = expect.stringMatching(
    /^mcp:files\/delete of janitor is approved\. The agent may repeat the call once until .*Z\.\n$/,
  )
  expect(approved).toMatchObject({ code: 0, stderr })
  expect(await user.run(['approvals', 'reject', approval_id])).toMatchObject({ code: 1 })
  const shown = (await user.run(['approvals', 'show', approval_id])).stdout
  expect(shown).toMatch(/^Decided by +\S.*$/m)
  expect(shown).toMatch(/^Decided +\d{4}-\d\d-\d\dT.*Z$/m)
  const decider = /^Decided by +(\S.*)$/m.exec(shown)?.[1]
  const listed = (await user.run(['approvals', 'list', '--status', 'approved', '--agent', 'janitor'])).stdout
  expect(listed).toMatch(/RESOLVED_BY +RESOLVED_AT \(UTC\)/)
  expect(listed).toContain(decider)
  const consume = () =>
    callApi(server, 'POST', `/edge/approvals/${approval_id}/consume`, { credential: agent_key, body: use })
  expect((await consume()).status).toBe(200)
  const call = { ...use, policy_id: policy.id, agent_id: agent.id, effect: 'allow', mode: 'enforce' }
  const at = new Date().toISOString()
  const decisions = [{ approval_id }, {}].map((rest) => ({
    ...call,
    ...rest,
    decision_id: randomUUID(),
    tool: 'mcp:files/delete',
    at,
  }))
  const sent = await callApi(server, 'POST', '/edge/decisions', { credential: agent_key, body: { decisions } })
  expect(sent.status).toBe(202)
  expect(await user.json(['decisions', 'list', '--approval', approval_id])).toMatchObject([{ approval_id }])
})

test('audit tail --follow prints the newest entries and then each new entry once', async () => {
  const { server, credential, user } = await setUp()
  const rename = (name: string) => user.run(['agents', 'create', name, '--environment', 'development'])
  await rename('first')
  const { PATH = '' } = process.env
  const args = ['audit', 'tail', '--follow', '-n', '1', '--event-type', 'agent.created', '--json']
  const child = spawn(command, args, { cwd: user.folder, env: { PATH, ...user.settings } })
  onTestFinished(() => void child.kill())
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const names = () =>
    output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).resource.name)
  await vi.waitFor(() => expect(names()).toEqual(['first']), { timeout: 60_000 })
  await rename('second')
  await vi.waitFor(() => expect(names()).toEqual(['first', 'second']), { timeout: 60_000 })
  await rename('third')
  await vi.waitFor(() => expect(names()).toEqual(['first', 'second', 'third']), { timeout: 60_000 })
  expect((await callApi(server, 'GET', '/audit?event_type=agent.created', { credential })).body.data).toHaveLength(3)
})
