import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runInProcess } from '../testing/run-in-process.ts'

const policy = `name: Readers
environment: null
rules:
  - { name: read, priority: 20, effect: allow, match: { tools: ["mcp:files/read"] } }
  - name: no secrets
    priority: 10
    effect: deny
    match: { tools: ["mcp:files/*"], when: [{ path: args.path, op: under, value: /secrets, absent: false }] }
  - { priority: 30, effect: allow, limit: { count: 1, window_s: 60 }, match: { tools: ["mcp:mail/send"] } }
`

const cases = `- { tool: mcp:files/read, args: { path: /srv/a }, effect: allow, rule: read }
- name: secrets stay
  tool: mcp:files/read
  args: { path: /srv/../secrets/a }
  effect: deny
- { tool: mcp:files/delete, effect: deny, rule: null }
- { tool: mcp:mail/send, effect: allow, rule: "rules[2]" }
- { tool: mcp:mail/send, effect: deny }
`

async function setUp(files: Record<string, string>) {
  const cwd = await mkdtemp(join(tmpdir(), 'mandate-test-policy-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  return (...args: string[]) => runInProcess(['policies', ...args], { env: {}, cwd })
}

test('a policy that decides every call as expected passes, without a control plane', async () => {
  const run = await setUp({ 'p.yaml': policy, 'p.test.yaml': cases })
  expect(await run('test', 'p.yaml')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'p.yaml: 5 calls decided as expected\n',
  })
})

test('names the errors of the policy and all errors of the expected decisions at once', async () => {
  const faulty = `- { tool: mcp:a/b, args: { n: 9007199254740993 }, effect: alow }
- { tool: mcp:a/b, args: { n: 1 }, args: { n: 2 }, effect: deny }
- { tool: mcp:a/b, efect: deny }
- { tool: 9007199254740993, effect: deny }
`
  const run = await setUp({ 'p.yaml': policy.replace('effect: deny', 'effect: dney'), 'p.test.yaml': faulty })
  const { code, stderr } = await run('test', 'p.yaml')
  expect(code).toBe(1)
  const places = [...stderr.matchAll(/p\.(?:test\.)?yaml:\d+/g)].map(String)
  expect(places).toEqual(['p.yaml:7', ...[1, 2, 4, 1, 3, 3].map((line) => `p.test.yaml:${line}`)])
})

test('a case says what the inventory knows of the tool; without it, conditions on labels and state cannot be decided', async () => {
  const rule = (effect: string, condition: string) =>
    `  - { priority: ${effect === 'deny' ? 1 : 2}, effect: ${effect}, match: { tools: ["mcp:crm/*"], when: [{ path: ${condition} }] } }\n`
  const labelled = `name: Labels\nenvironment: null\nrules:\n${rule('deny', 'tool.labels, op: has, value: writes')}${rule('allow', 'tool.state, op: eq, value: pinned')}`
  const run = await setUp({
    'p.yaml': labelled,
    'p.test.yaml': `- { tool: mcp:crm/a, inventory: { labels: [writes], state: pinned }, effect: deny, rule: "rules[0]" }
- { tool: mcp:crm/a, inventory: { state: pinned }, effect: allow }
- { tool: mcp:crm/a, inventory: {}, effect: deny, rule: null }
- { tool: mcp:crm/a, effect: deny, rule: "rules[0]" }
`,
  })
  expect(await run('test', 'p.yaml')).toMatchObject({ code: 0, stderr: 'p.yaml: 4 calls decided as expected\n' })
  const bad = await setUp({
    'p.yaml': labelled,
    'p.test.yaml': '- { tool: mcp:a/b, inventory: { stat: new }, effect: deny }',
  })
  expect((await bad('test', 'p.yaml')).stderr).toMatch(/p\.test\.yaml:1: .*: stat; did you mean state\?/)
  const calls = JSON.stringify([{ tool: 'mcp:a/b', inventory: { labels: 'a' } }])
  const other = await setUp({ 'p.yaml': labelled, 'calls.json': calls })
  expect((await other('simulate', 'p.yaml', '--calls', 'calls.json')).stderr).toMatch(
    /calls\.json:1: \[0\]\.inventory\.labels must be an array/,
  )
})

test.each([
  [
    'a misspelt field',
    '- tool: mcp:a/b\n  arg: {}\n',
    /calls\.yaml:2: \[0\] has an unknown field: arg; did you mean args\?/,
  ],
  ['arguments in a list', '- tool: mcp:a/b\n  args: [1]\n', /calls\.yaml:2: \[0\]\.args must be an object/],
  ['arguments that are null', '- tool: mcp:a/b\n  args:\n', /calls\.yaml:2: \[0\]\.args must be an object/],
  ['a misspelt field of the session', '- tool: mcp:a/b\n  session: { lables: [] }\n', /did you mean labels\?/],
  ['an empty name of a tool', "- tool: ''\n", /calls\.yaml:1: \[0\]\.tool must not be empty$/m],
  ['a tool that is a number', '- tool: 5\n', /calls\.yaml:1: \[0\]\.tool must be a string/],
  ['one call without a list', 'tool: mcp:a/b\n', /calls\.yaml:1: must be a list of calls/],
  ['a number that is not exact', '- { tool: mcp:a/b, args: { x: 1e400 } }\n', /calls\.yaml:1:31: 1e400 is beyond/],
])('simulate refuses %s in a file of calls', async (_, text, fault) => {
  const run = await setUp({ 'p.yaml': policy, 'calls.yaml': text })
  expect(await run('simulate', 'p.yaml', '--calls', 'calls.yaml')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(fault),
  })
})

test('simulate refuses a misspelt field of --session', async () => {
  const run = await setUp({ 'p.yaml': policy })
  const { code, stderr } = await run('simulate', 'p.yaml', '--tool', 'mcp:a/b', '--session', '{"lables": []}')
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/session .*lables; did you mean labels\?/),
  })
})

test('simulate refuses aliases in --args that expand to too many values, as a usage error', async () => {
  const run = await setUp({ 'p.yaml': policy })
  const args = `{ a: &a [${Array(12).fill(1)}], b: &b [${Array(12).fill('*a')}], c: [${Array(12).fill('*b')}] }`
  expect(await run('simulate', 'p.yaml', '--tool', 'mcp:a/b', '--args', args)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'mandate: --args: the aliases expand to too many values; write the values out\n',
  })
})

test('a byte order mark at the beginning of a file does not matter', async () => {
  const run = await setUp({
    'p.yaml': `\uFEFF${policy}`,
    'p.test.yaml': `\uFEFF${cases}`,
    'calls.yaml': `\uFEFF${cases}`,
  })
  expect(await run('test', 'p.yaml')).toMatchObject({ code: 0, stderr: 'p.yaml: 5 calls decided as expected\n' })
  expect((await run('simulate', 'p.yaml', '--calls', 'calls.yaml')).code).toBe(0)
})

test('names each call that is decided in another way, with its line, and exits with 1', async () => {
  const changed = policy.replace('effect: deny', 'effect: require_approval').replace('name: read', 'name: reading')
  const run = await setUp({ 'p.yaml': changed, 'cases.yml': cases })
  const { code, stderr } = await run('test', 'p.yaml', '--expected', 'cases.yml')
  expect(code).toBe(1)
  expect(stderr.split('\n').slice(0, 3)).toEqual([
    'mandate: 2 of 5 calls decided in another way than expected',
    'cases.yml:1: mcp:files/read: expected allow by the rule “read”, got allow by the rule “reading”',
    'cases.yml:2: secrets stay: mcp:files/read: expected deny, got require_approval by the rule “no secrets”',
  ])
  const { stdout } = await run('test', 'p.yaml', '--expected', 'cases.yml', '--output', 'json')
  expect(JSON.parse(stdout).map(({ passed }: { passed: boolean }) => passed)).toEqual([false, false, true, true, true])
})

test.each([
  ['no file of expected decisions', undefined, /file not found: p\.test\.yaml/],
  ['an empty file', '', /p\.test\.yaml:1: must be a list of calls/],
  ['a case without an effect', '- { tool: mcp:a/b }\n', /p\.test\.yaml:1: \[0\]\.effect is required/],
  [
    'an unknown effect',
    '- tool: mcp:a/b\n  effect: alow\n',
    /p\.test\.yaml:2: \[0\]\.effect must be one of allow, deny/,
  ],
  [
    'an unknown field',
    '- tool: mcp:a/b\n  effect: deny\n  arg: {}\n',
    /p\.test\.yaml:3: \[0\] has an unknown field: arg; did you mean args\?/,
  ],
  [
    'a list of aliases that expand without limit',
    `- tool: mcp:a/b\n  effect: deny\n  args: { ${[...'abcdef'].map((name, at) => `${name}: &${name} [${Array(12).fill(at === 0 ? 1 : `*${'abcdef'[at - 1]}`)}]`).join(', ')} }\n`,
    /p\.test\.yaml: the aliases expand to too many values/,
  ],
  ['a syntax error', '- [\n', /p\.test\.yaml:2:1: the closing \] is missing/],
])('%s is an error with its line', async (_, text, fault) => {
  const run = await setUp({ 'p.yaml': policy, ...(text !== undefined && { 'p.test.yaml': text }) })
  expect(await run('test', 'p.yaml')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(fault) })
})

test('a file of expected decisions is no policy file of its folder', async () => {
  const run = await setUp({ 'p.yaml': policy, 'p.test.yaml': cases })
  expect(await run('validate', '.')).toMatchObject({ code: 0, stderr: expect.stringMatching(/^p\.yaml: valid\n$/) })
})
