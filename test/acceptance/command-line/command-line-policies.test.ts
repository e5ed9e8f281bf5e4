import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withOwner } from '../../invariants/find-broken.ts'
import { callApi, register } from '../call-api.ts'
import { sharedMandate } from '../mandate-process.ts'
import { signedInUser } from './command-line-user.ts'

const mandate = sharedMandate()
const address = () => `owner-${randomUUID()}@example.com`

const text = `# What invoice readers may do.
name: Invoice readers
environment: development
rules:
  # Reading is harmless.
  - name: read
    priority: 20
    effect: allow
    match:
      tools:
        - mcp:files/read
  - name: no secrets # asked for by the security team
    priority: 10
    effect: deny
    match:
      tools:
        - mcp:files/*
      when:
        - { path: args.path, op: under, value: /secrets, absent: false }
`

async function setUp() {
  const server = mandate()
  const { email, credential } = await register(server, address())
  const user = await signedInUser(server, email)
  const path = join(user.folder, 'p.yaml')
  const read = () => readFile(path, 'utf8')
  const edit = async (from: string, to: string) => {
    const before = await read()
    expect(before).toContain(from)
    await writeFile(path, before.replace(from, to))
  }
  await writeFile(path, text)
  const run = (...args: string[]) => user.run(['policies', ...args])
  return { server, credential, user, read, edit, run }
}

test('pushes a file as a policy, one version per push, and keeps the file’s comments', async () => {
  const { server, credential, user, read, edit, run } = await setUp()
  const planned = await run('push', 'p.yaml', '--dry-run')
  expect(planned).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('+ rule “no secrets” at priority 10: deny'),
  })
  expect((await user.json(['policies', 'list'])).length).toBe(0)
  expect(await run('push', 'p.yaml')).toMatchObject({ code: 0, stderr: 'p.yaml: created, version 1\n' })
  const pushed = await read()
  expect(pushed).toMatch(/^# What invoice readers may do\.\nid: [0-9a-f-]{36}\nversion: 1\nname: Invoice readers\n/)
  for (const kept of ['  # Reading is harmless.\n', 'no secrets # asked for', '{ path: args.path, op: under'])
    expect(pushed).toContain(kept)
  expect(await run('diff', 'p.yaml')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect(await run('push', 'p.yaml')).toMatchObject({ code: 0, stderr: 'p.yaml: unchanged, version 1\n' })

  // Swaps the priorities of two rules, removes a rule and adds a rule. Only a save of the whole policy can swap priorities.
  await edit('priority: 20', 'priority: 5')
  await edit('- mcp:files/read', '- mcp:files/read\n        - mcp:files/list')
  const differs = await run('diff', 'p.yaml')
  expect(differs.code).toBe(2)
  expect(differs.stdout).toBe(
    'p.yaml\n  ~ rule “read” at priority 20\n      priority: 20 → 5\n      + mcp:files/list\n' +
      '  It loosens the policy: no call gets a stricter effect than before.\n',
  )
  expect(await run('push', 'p.yaml')).toMatchObject({ code: 0 })
  const [policy] = await user.json(['policies', 'list'])
  expect(policy).toMatchObject({ version: 2, rules: [{ name: 'read', priority: 5 }, { name: 'no secrets' }] })
  const { body } = await callApi(server, 'GET', `/policies/${policy.id}/versions/2`, { credential })
  expect(body.change_summary).toMatchObject({ rules_added: 0, rules_removed: 0, rules_changed: 1 })
  const audited = await user.json(['audit', 'tail', '--event-type', 'policy.updated'])
  expect(audited).toHaveLength(1)
})

test('refuses to push a file that is older than its policy, until a pull or --overwrite', async () => {
  const { server, credential, user, read, edit, run } = await setUp()
  await run('push', 'p.yaml')
  const [{ id }] = await user.json(['policies', 'list'])
  const version = async () => (await user.json(['policies', 'list']))[0].version
  await callApi(server, 'PUT', `/policies/${id}`, { credential, body: { description: 'from the dashboard' } })
  await edit('priority: 20', 'priority: 30')
  await writeFile(join(user.folder, 'new.yaml'), 'name: New\nenvironment: null\nrules: []\n')
  const stale = await run('push', 'new.yaml', 'p.yaml')
  expect(stale).toMatchObject({ code: 1, stdout: '' })
  expect(stale.stderr).toMatch(/p\.yaml is based on version 1, but the policy is at version 2, saved by \S+ at /)
  expect(stale.stderr).toContain('push p.yaml --overwrite')
  expect(await user.json(['policies', 'list'])).toHaveLength(1)
  expect(await run('pull', 'p.yaml')).toMatchObject({ code: 1, stderr: expect.stringContaining('were not pushed') })
  const mine = await read()

  expect(await run('pull', 'p.yaml', '--force')).toMatchObject({ code: 0 })
  expect(await read()).toContain('version: 2')
  expect(await read()).toContain('from the dashboard')
  expect(await read()).toContain('# Reading is harmless.')
  expect(await run('diff', 'p.yaml')).toMatchObject({ code: 0, stdout: '' })

  await writeFile(join(user.folder, 'p.yaml'), mine)
  expect(await run('push', 'p.yaml', '--overwrite')).toMatchObject({ code: 0 })
  expect(await version()).toBe(3)
  expect((await user.json(['policies', 'list']))[0]).toMatchObject({ description: '', rules: [{}, { priority: 30 }] })

  expect(await run('restore', 'Invoice readers', '2')).toMatchObject({ code: 0 })
  const versions = await user.json(['policies', 'versions', 'Invoice readers'])
  expect(versions.map(({ produced_by }) => produced_by)).toEqual(['restored', 'updated', 'updated', 'created'])
})

test('pulls each policy into a new file, and later into the same file', async () => {
  const { user, run } = await setUp()
  await run('push', 'p.yaml')
  expect(await run('pull', '--all')).toMatchObject({ code: 0 })
  expect(await readdir(join(user.folder, 'policies'))).toEqual(['invoice-readers.yaml'])
  const pulled = await readFile(join(user.folder, 'policies/invoice-readers.yaml'), 'utf8')
  expect(await run('pull', '--all')).toMatchObject({ stderr: 'policies/invoice-readers.yaml: unchanged, version 1\n' })
  const { stdout } = await run('show', 'Invoice readers')
  expect(stdout).toBe(pulled)
  expect(await run('diff', 'policies/invoice-readers.yaml')).toMatchObject({ code: 0, stdout: '' })
})

test('validates and simulates a file without a control plane, and reports each error with its line', async () => {
  const { user, edit, run } = await setUp()
  const offline = { settings: { MANDATE_CONFIG_DIR: '/nonexistent' } }
  expect(await user.run(['policies', 'validate', 'p.yaml'], offline)).toMatchObject({ code: 0 })
  const tried = [
    'policies',
    'simulate',
    'p.yaml',
    '--json',
    '--tool',
    'mcp:files/read',
    '--args',
    '{"path": "/secrets/k"}',
  ]
  const { stdout } = await user.run(tried, offline)
  expect(JSON.parse(stdout)).toEqual({
    tool: 'mcp:files/read',
    effect: 'deny',
    rule: 'no secrets',
    reason: expect.any(String),
    undecided: null,
    over_limit: null,
  })
  await run('push', 'p.yaml')
  const stored = await user.run(['policies', 'simulate', 'Invoice readers', ...tried.slice(3)])
  // The control plane also applies the content rules of the policy, which a file does not have.
  expect(JSON.parse(stored.stdout)).toEqual({ ...JSON.parse(stdout), content: [], labels: [] })
  await edit('effect: allow', 'effect: alow')
  await edit('when:', 'wen:')
  const faulty = await user.run(['policies', 'validate', 'p.yaml'], offline)
  expect(faulty.code).toBe(1)
  expect(faulty.stderr).toContain('p.yaml:10: rules[0].effect must be one of allow, deny, require_approval\n')
  expect(faulty.stderr).toContain('p.yaml:22: rules[1].match has an unknown field: wen')
  expect(await run('push', 'p.yaml')).toMatchObject({ code: 1, stdout: '' })
})

test.skipIf(process.platform !== 'linux')('pull fails if the folder cannot be made', async () => {
  const { run } = await setUp()
  await run('push', 'p.yaml')
  const failed = await run('pull', '--all', '--dir', '/proc/mandate')
  expect(failed).toEqual({ code: 1, stdout: '', stderr: 'mandate: /proc/mandate: the folder cannot be made here\n' })
})

test('the first line of a file that a pull creates names the schema of the file, which needs no credential', async () => {
  const { user, run } = await setUp()
  await run('push', 'p.yaml')
  await run('pull', 'Invoice readers', '--dir', 'policies')
  const [first = ''] = (await readFile(join(user.folder, 'policies/invoice-readers.yaml'), 'utf8')).split('\n')
  const address = /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1]
  const schema = await (await fetch(address!)).json()
  expect(schema).toMatchObject({ title: 'Mandate policy file', required: ['name', 'environment', 'rules'] })
  expect(JSON.parse((await run('schema')).stdout)).toEqual(schema)
  expect((await run('pull', 'Invoice readers', '--stdout')).stdout.split('\n')[0]).toBe(first)
})

test('diff takes folders, and exits with 0 if equal, 1 on failure and 2 if different', async () => {
  const { user, edit, run } = await setUp()
  await run('push', 'p.yaml')
  expect(await run('pull', '--all', '--dir', 'policies/team')).toMatchObject({ code: 0 })
  expect(await run('diff', 'policies')).toEqual({ code: 0, stdout: '', stderr: '' })
  await edit('priority: 20', 'priority: 30')
  await writeFile(join(user.folder, 'policies/faulty.yml'), 'name: Faulty\nenvironment: null\nrulez: []\n')
  expect(await run('validate', 'policies')).toMatchObject({ code: 1, stderr: expect.stringContaining('faulty.yml:3:') })
  // The invalid file is an error. The other file is still compared.
  const both = await run('diff', 'policies', 'p.yaml')
  expect(both).toMatchObject({ code: 1, stdout: expect.stringContaining('priority: 20 → 30') })
  expect(both.stderr).toContain('policies/faulty.yml:3: the file has an unknown field: rulez')
  expect(await user.runProcess(['policies', 'diff', 'p.yaml'])).toMatchObject({ code: 2, stderr: '' })
  await mkdir(join(user.folder, 'empty'))
  expect(await run('diff', 'empty')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('contains no policy files'),
  })
  expect(await run('diff', '--fast', 'p.yaml')).toMatchObject({ code: 1, stdout: '' })
  expect(await run('diff', 'p.yaml', '--from', 'one')).toMatchObject({ code: 1, stdout: '' })
})

test('a pull skips an invalid file and updates the others, and --force replaces the invalid file', async () => {
  const { user, run } = await setUp()
  await writeFile(join(user.folder, 'other.yaml'), 'name: Other\nenvironment: null\nrules: []\n')
  await run('push', 'p.yaml', 'other.yaml')
  await run('pull', '--all')
  const [path, otherPath] = ['invoice-readers.yaml', 'other.yaml'].map((name) => join(user.folder, 'policies', name))
  const pulled = await readFile(path!, 'utf8')
  const broken = pulled.replace('effect: allow', 'effect: [')
  await writeFile(path!, broken)
  await rm(otherPath!)
  await writeFile(join(user.folder, 'policies/draft.yaml'), 'name: [')
  const careful = await run('pull', '--all')
  expect(careful).toMatchObject({ code: 1, stdout: '' })
  expect(careful.stderr).toContain('policies/other.yaml: version 1\n')
  expect(careful.stderr).toMatch(/mandate: policies\/invoice-readers\.yaml:\d+:\d+: /)
  expect(await readFile(path!, 'utf8')).toBe(broken)

  const forced = await run('pull', '--all', '--force')
  expect(forced).toMatchObject({ code: 0 })
  expect(forced.stderr).toContain('policies/invoice-readers.yaml: replaced the invalid file with version 1\n')
  expect(forced.stderr).toContain('policies/draft.yaml')
  expect(await readFile(path!, 'utf8')).toBe(pulled)
  expect((await readdir(join(user.folder, 'policies'))).sort()).toEqual([
    'draft.yaml',
    'invoice-readers.yaml',
    'other.yaml',
  ])
  expect(await run('pull', 'policies/other.yaml')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('unchanged'),
  })
})

test('compares two versions of a policy, and deletes a policy, by name', async () => {
  const { user, edit, run } = await setUp()
  await run('push', 'p.yaml')
  await edit('priority: 20', 'priority: 30')
  await run('push', 'p.yaml')
  const changed = await run('diff', 'Invoice readers', '--from', '1', '--to', '2')
  expect(changed).toMatchObject({ code: 2, stderr: '' })
  expect(changed.stdout).toBe(
    'Invoice readers: version 1 → version 2\n  ~ rule “read” at priority 20\n      priority: 20 → 30\n' +
      '  It changes no decision.\n',
  )
  expect(await run('diff', 'Invoice readers', '--from', '1')).toMatchObject({ code: 2, stdout: changed.stdout })
  expect(await run('diff', 'Invoice readers', '--from', '2')).toMatchObject({ code: 0, stdout: '' })
  expect(await run('diff', 'Invoice readers', '--to', '9')).toMatchObject({ code: 1, stdout: '' })
  expect(await run('diff', 'Invoice readers')).toMatchObject({ code: 1, stderr: expect.stringContaining('--from') })

  expect(await run('delete', 'Invoice readers')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  await user.json(['agents', 'create', 'Reader', '--environment', 'development', '--policy', 'Invoice readers'])
  expect(await run('delete', 'Invoice readers', '--yes')).toMatchObject({ code: 1 })
  await user.run(['agents', 'archive', 'Reader'])
  expect(await run('delete', 'Invoice readers', '--yes')).toMatchObject({
    code: 0,
    stderr: 'Invoice readers is deleted.\n',
  })
  expect(await user.json(['policies', 'list'])).toEqual([])
})

test('refuses files with one id, or one name in one environment, before the first save', async () => {
  const { user, read, run } = await setUp()
  await run('push', 'p.yaml')
  const write = (path: string, content: string) => writeFile(join(user.folder, path), content)
  await write('new.yaml', 'name: New\nenvironment: null\nrules: []\n')
  const refused = async (copy: string, fault: RegExp) => {
    await write('copy.yaml', copy)
    expect(await run('push', '.', '--overwrite')).toMatchObject({ code: 1, stderr: expect.stringMatching(fault) })
    expect(await user.json(['policies', 'list'])).toMatchObject([{ name: 'Invoice readers', version: 1 }])
  }
  const pushed = await read()
  await refused(pushed.replace('name: Invoice readers', 'name: Copy'), /copy\.yaml and p\.yaml have the same policy id/)
  expect(await run('pull', '--all', '--dir', '.')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('copy.yaml and p.yaml'),
  })
  await refused(text, /copy\.yaml and p\.yaml have the same name/)
  await refused('name: New\nenvironment: null\nrules: []\n', /copy\.yaml and new\.yaml have the same name/)
})

test('a creation and a restore are refused with the id of the policy that has the name', async () => {
  const { user, edit, run } = await setUp()
  await run('push', 'p.yaml')
  const [{ id, environment_id }] = await user.json(['policies', 'list'])
  await edit('name: Invoice readers', 'name: Renamed')
  await run('push', 'p.yaml')
  const create = ['api', '/policies', '-f', 'name=Invoice readers', '-f', `environment_id=${environment_id}`]
  const [other] = await user.json(create)
  const stderr = expect.stringContaining(`policy ${other.id} already has this name in this environment`)
  expect(await user.run(create)).toMatchObject({ code: 1, stderr })
  expect(await run('restore', id, '1')).toMatchObject({ code: 1, stderr })
})

test('a push reports the errors of all files, and an unknown environment with its line and the closest slug', async () => {
  const { user, run } = await setUp()
  const write = (path: string, content: string) => writeFile(join(user.folder, path), content)
  await write('a.yaml', 'name: A\nenvironment: devlopment\nrules: []\n')
  await write('b.yaml', 'name: B\nrules: []\n\nenvironment: nowhere\n')
  const unknown = await run('push', 'a.yaml', 'b.yaml', 'p.yaml')
  expect(unknown).toMatchObject({ code: 1, stdout: '' })
  expect(unknown.stderr).toContain('a.yaml:2: environment devlopment does not exist')
  expect(unknown.stderr).toContain('b.yaml:4: environment nowhere does not exist')
  expect(unknown.stderr).toContain('did you mean development?')
  await write('a.yaml', 'name: [\n')
  await write('b.yaml', 'name: B\nenvironment: null\nrulez: []\n')
  const invalid = await run('push', 'a.yaml', 'b.yaml', 'p.yaml')
  expect(invalid.stderr).toContain('a.yaml:2:1: the closing ] is missing')
  expect(invalid.stderr).toContain('b.yaml:3: the file has an unknown field: rulez; did you mean rules?')
  await write('b.yaml', 'name: B\nrules: []\n\nenvironment: nowhere\n')
  const both = await run('push', 'a.yaml', 'b.yaml', 'p.yaml')
  expect(both.stderr).toContain('a.yaml:2:1: the closing ] is missing')
  expect(both.stderr).toContain('b.yaml:4: environment nowhere does not exist')
  expect(await user.json(['policies', 'list'])).toEqual([])
})

test('names an unknown environment together with the other errors of the file, and at validate if it can ask', async () => {
  const { user, run } = await setUp()
  const write = (content: string) => writeFile(join(user.folder, 'm.yaml'), content)
  const environment = 'm.yaml:2: environment developmnt does not exist, or you cannot see it'
  await write('name: M\nenvironment: developmnt\nrules: []\n')
  const validated = await run('validate', 'm.yaml')
  expect([validated.code, validated.stderr]).toEqual([1, expect.stringContaining(environment)])
  expect(validated.stderr).toContain('did you mean development?')
  const away: Record<string, string>[] = [
    {},
    { MANDATE_URL: 'http://127.0.0.1:1', MANDATE_API_KEY: `mk_${'0'.repeat(64)}` },
  ]
  for (const settings of away) {
    const offline = { settings: { MANDATE_CONFIG_DIR: '/nonexistent', ...settings } }
    expect(await user.run(['policies', 'validate', 'm.yaml'], offline)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('m.yaml: valid'),
    })
  }
  await write('name: M\nenvironment: developmnt\ndefault_effct: deny\nrules: []\n')
  for (const words of [['push', '--dry-run'], ['push'], ['diff'], ['validate']]) {
    const { code, stderr } = await run(...words, 'm.yaml')
    expect([code, stderr]).toEqual([1, expect.stringContaining(environment)])
    expect(stderr).toContain('m.yaml:3: the file has an unknown field: default_effct; did you mean default_effect?')
  }
})

test('warns at validate and push of a rule that stops tools without the argument, unless the rule says what that means', async () => {
  const { edit, run } = await setUp()
  await edit(', absent: false', '')
  const warning =
    /warning: p\.yaml:\d+: rules\[1\]\.match\.when\[0\] the rule denies every call without args\.path, .*mcp:files\/read/
  for (const command of ['validate', 'push'])
    expect(await run(command, 'p.yaml')).toMatchObject({ code: 0, stderr: expect.stringMatching(warning) })
  expect((await run('simulate', 'p.yaml', '--tool', 'mcp:files/read')).stdout).toContain(
    'args.path could not be decided',
  )
  await edit('value: /secrets', 'value: /secrets, absent: false')
  expect((await run('diff', 'p.yaml')).stdout).toContain('+ when args.path under "/secrets", absent: false\n')
  expect(await run('push', 'p.yaml')).toMatchObject({ code: 0, stderr: 'p.yaml: updated, version 2\n' })
  expect((await run('show', 'Invoice readers')).stdout).toContain('absent: false')
  expect(await run('pull', 'p.yaml')).toMatchObject({ stderr: 'p.yaml: unchanged, version 2\n' })
  expect((await run('simulate', 'Invoice readers', '--tool', 'mcp:files/read')).stdout).toMatch(
    /\nallow +mcp:files\/read +read/,
  )
})

test('replays recorded calls with a file, and says first what cannot be decided again', async () => {
  const { server, user, edit, run } = await setUp()
  const unknown = await run('simulate', 'p.yaml', '--replay', '7d')
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('the policy is not at the control plane') })
  await run('push', 'p.yaml')
  const [{ id: policy_id }] = await user.json(['policies', 'list'])
  const created = ['agents', 'create', 'Reader', '--environment', 'development', '--policy', 'Invoice readers']
  const [{ agent, agent_key }] = await user.json(created)
  const decision = (tool: string, effect: string) => ({
    ...{ decision_id: randomUUID(), agent_id: agent.id, tool, effect, mode: 'enforce', policy_id, policy_version: 1 },
    ...{ args_digest: '', at: new Date().toISOString() },
  })
  const decisions = [
    decision('mcp:mail/send', 'deny'),
    decision('mcp:mail/send', 'deny'),
    decision('mcp:files/read', 'allow'),
  ]
  const sent = await callApi(server, 'POST', '/edge/decisions', { body: { decisions }, credential: agent_key })
  expect(sent).toMatchObject({ status: 202, body: { accepted: 3 } })

  await edit('- mcp:files/read', '- mcp:files/read\n        - mcp:mail/send')
  const replayed = await run('simulate', 'p.yaml', '--replay', '7d')
  expect(replayed).toMatchObject({
    code: 0,
    stderr:
      'cannot be decided again: args.path (rule “no secrets”): a record has a digest of the arguments, and not the arguments\n',
  })
  expect(replayed.stdout).toMatch(
    /^3 recorded calls of 1 agent from .* UTC: 2 would change, 1 cannot be decided again\.\n/,
  )
  expect(replayed.stdout).toMatch(/\nallow +undecidable +1 +1\ndeny +allow +2 +2\n/)
  expect(replayed.stdout).toMatch(
    /\nmcp:mail\/send +deny +allow +read +- +2 +Reader\nmcp:files\/read +allow +undecidable +- +args\.path +1 +Reader\n$/,
  )
  const stored = await run('simulate', 'Invoice readers', '--replay', '1w', '--output', 'json')
  expect(JSON.parse(stored.stdout)).toMatchObject({ decisions: 3, changed: 0, undecidable: 1 })
  for (const [span, ...more] of [
    ['0d'],
    ['31d'],
    ['5w'],
    ['7'],
    ['7d', '--tool', 'mcp:a/b'],
    ['7d', '--inventory', 'development'],
  ])
    expect(await run('simulate', 'p.yaml', '--replay', span!, ...more)).toMatchObject({ code: 2, stdout: '' })
})

test('a push finds the policy of a file without an id by its name and environment', async () => {
  const { server, user, read, edit, run } = await setUp()
  await run('push', 'p.yaml')
  const [{ id }] = await user.json(['policies', 'list'])
  await writeFile(join(user.folder, 'p.yaml'), text)
  expect(await run('push', 'p.yaml')).toMatchObject({
    code: 0,
    stderr: `p.yaml: the file has no id; policy ${id} has its name and environment\np.yaml: unchanged, version 1\n`,
  })
  await writeFile(join(user.folder, 'p.yaml'), text)
  await edit('priority: 20', 'priority: 30')
  expect(await run('push', 'p.yaml')).toMatchObject({ code: 1, stderr: expect.stringContaining(id) })
  expect(await run('push', 'p.yaml', '--overwrite')).toMatchObject({ code: 0 })
  expect(await user.json(['policies', 'list'])).toMatchObject([{ id, version: 2 }])
  expect(await read()).toContain(`id: ${id}`)

  // A renamed policy keeps its file. The old name is free for a new policy.
  await edit('name: Invoice readers', 'name: Renamed')
  await writeFile(join(user.folder, 'q.yaml'), text)
  expect(await run('push', 'p.yaml', 'q.yaml')).toMatchObject({ code: 0 })
  expect((await user.json(['policies', 'list'])).map(({ name }) => name).sort()).toEqual(['Invoice readers', 'Renamed'])
  await edit('name: Renamed', 'name: Invoice readers')
  expect(await run('push', 'p.yaml')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/p\.yaml:4: policy .* has this name/),
  })

  // Policies that already had the same name before names had to differ.
  const toSameName = 'update policies set name = $2 where id = $1'
  await withOwner(server.dataDir, (client) => client.query(toSameName, [id, 'Invoice readers']))
  await writeFile(join(user.folder, 'q.yaml'), text)
  expect(await run('push', 'q.yaml', '--overwrite')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('2 policies have the name'),
  })
})

test('a pull updates the file of a policy in any subfolder', async () => {
  const { server, credential, user, run } = await setUp()
  await run('push', 'p.yaml')
  await run('pull', '--all')
  const [{ id }] = await user.json(['policies', 'list'])
  const folder = join(user.folder, 'policies')
  await mkdir(join(folder, 'team'))
  await rename(join(folder, 'invoice-readers.yaml'), join(folder, 'team/readers.yaml'))
  await callApi(server, 'PUT', `/policies/${id}`, { credential, body: { description: 'from the dashboard' } })
  expect(await run('pull', '--all')).toMatchObject({ code: 0, stderr: 'policies/team/readers.yaml: version 2\n' })
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(['team', 'team/readers.yaml'])
})

test('a pull finds the policy of a file without an id also by the name or the id of its environment', async () => {
  const { user, run } = await setUp()
  await run('push', 'p.yaml')
  const environments: { id: string; slug: string; name: string }[] = await user.json(['environments', 'list'])
  const { id, name } = environments.find(({ slug }) => slug === 'development')!
  const folder = join(user.folder, 'policies')
  await mkdir(folder)
  for (const environment of [name, id]) {
    await writeFile(
      join(folder, 'readers.yaml'),
      text.replace('environment: development', `environment: ${environment}`),
    )
    expect(await run('pull', '--all')).toMatchObject({ code: 0, stderr: 'policies/readers.yaml: version 1\n' })
  }
  await writeFile(join(folder, 'readers.yaml'), text.replace('environment: development', 'environment: elsewhere'))
  expect((await run('pull', '--all')).code).toBe(0)
  expect((await readdir(folder)).sort()).toEqual(['invoice-readers.yaml', 'readers.yaml'])
})

test('a key that may only read policies lists and shows them, with the id of the environment', async () => {
  const { server, credential, user, run } = await setUp()
  expect((await run('push', 'p.yaml')).code).toBe(0)
  const wanted = { name: 'ci', scopes: ['policies:read'] }
  const { body: key } = await callApi(server, 'POST', '/api-keys', { credential, body: wanted })
  const settings = { MANDATE_URL: server.url, MANDATE_API_KEY: key.raw_key }
  const withKey = (...args: string[]) => user.run(['policies', ...args], { settings })
  expect(await withKey('list')).toMatchObject({ code: 0, stdout: expect.stringContaining('Invoice readers') })
  expect((await withKey('show', 'Invoice readers')).stdout).toMatch(/^environment: [0-9a-f-]{36}$/m)
  expect(await withKey('list', '--environment', 'development')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/reads environments.*\n.*give the key the scope environments:read too/),
  })
})
