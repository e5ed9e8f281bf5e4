import {
  chmod,
  chown,
  link,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readKnownFile } from './known-file.ts'
import { inStyleOf, readPolicyFile, writeWhole } from './policy-file.ts'

async function faultsOf(text: string | Buffer): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-file-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'p.yaml')
  await writeFile(path, text)
  const { message } = await readPolicyFile(path).then(
    () => new Error('no fault'),
    (error: Error) => error,
  )
  return message.split('\n').map((line) => line.replace(`${folder}/`, ''))
}

const rule = '  - priority: 1\n    effect: allow\n    match: { tools: ["mcp:a/b"] }\n'
const head = 'name: P\nenvironment: null\nrules:\n'

test.each([
  [
    'an unknown field',
    `${head}${rule}    efect: deny\n`,
    'p.yaml:7: rules[0] has an unknown field: efect; did you mean effect?',
  ],
  ['an unknown word', head + rule.replace('allow', 'alow'), 'p.yaml:5: rules[0].effect must be one of allow, deny'],
  [
    'a condition under an unknown field',
    `${head}  - priority: 1\n    effect: allow\n    match: { tools: ["*"], if: [] }\n`,
    'p.yaml:6: rules[0].match has an unknown field: if',
  ],
  ['a missing field', 'name: P\nrules: []\n', 'p.yaml:1: environment is required'],
  ['an invalid pattern', head + rule.replace('mcp:a/b', 'mcp:'), 'p.yaml:6: rules[0].match.tools[0] '],
  ['two rules of one priority', head + rule + rule, 'p.yaml:7: rules[1].priority is already used by rules[0]'],
  ['a duplicate key', 'name: P\nname: Q\n', 'p.yaml:2:1: the field is in this place twice'],
  ['a bracket that is not closed', 'name: [\n', 'p.yaml:2:1: the closing ] is missing before this place'],
  ['a brace that is not closed', 'match: { tools: ["*"]\nname: P\n', 'p.yaml:2:1: the closing } is missing'],
  ['a quote that is not closed', 'name: "P\nrules: []\n', 'p.yaml:3:1: the closing " is missing'],
  ['a tab', 'name: P\nrules:\n\t- priority: 1\n', 'p.yaml:3:1: a tab indents the line; use spaces'],
  ['a star without quotes', `${head}${rule.replace('"mcp:a/b"', '*')}`, 'p.yaml:6:22: the value starts with *'],
  [
    'an alias of nothing',
    `${head}${rule.replace('["mcp:a/b"]', '*all')}`,
    'p.yaml:6:21: the alias *all has no anchor &all',
  ],
  ['an alias in its own value', 'name: P\nrules: &all [*all]\n', 'p.yaml:2:14: the alias *all is inside its own value'],
  [
    'a colon in a value',
    'name: P: Q\n',
    'p.yaml:1:7: the line has a second field or list; put it on a line of its own',
  ],
  [
    'a line without a colon',
    'name: P\nrules\nenvironment: null\n',
    'p.yaml:2:1: the line is not a field: a field has a colon',
  ],
  ['an unknown escape', 'name: "C:\\q"\n', 'p.yaml:1:10: the text in double quotes has an unknown escape sequence'],
  ['text after a quoted value', 'name: "P" "Q"\n', 'p.yaml:1:11: there is more text after the end of the value'],
  ['a missing comma', 'match: { op: eq path: a }\n', 'p.yaml:1:14: '],
  ['a wrong indentation', 'name: P\nrules:\n  - priority: 1\n   effect: allow\n', 'p.yaml:4:'],
  [
    'a reserved character',
    'name: @me\n',
    'p.yaml:1:7: the value starts with a reserved character; put the value in quotes',
  ],
  [
    'a merge of fields',
    `${head}  - &one\n    ${rule.slice(4)}  - <<: *one\n    priority: 2\n`,
    'p.yaml:8:5: << would merge the fields of another value, which policy files cannot; write the fields out',
  ],
  [
    'a merge of fields by YAML 1.1',
    `%YAML 1.1\n---\n${head}  - &one\n    ${rule.slice(4)}  - <<: *one\n    priority: 2\n`,
    'p.yaml:10:5: << would merge the fields of another value',
  ],
  ['an empty file', '', 'p.yaml:1: '],
  ['a list', '- 1\n', 'p.yaml:1: '],
  ['a second document', `${head}${rule}---\nname: Q\n`, 'p.yaml:7:1: '],
  [
    'aliases that expand without limit',
    `a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nname: [*c, *c, *c, *c, *c]\n`,
    'p.yaml: the aliases expand to too many values',
  ],
])('reports %s with its line', async (_, text, fault) => {
  expect(
    (await faultsOf(text)).some((line) => line.startsWith(fault)),
    (await faultsOf(text)).join('\n'),
  ).toBe(true)
})

test.each([
  [
    'a tab',
    'name: P\nenvironmnt: null\nrules:\n\t- priority: 1\n',
    [
      'p.yaml:2: the file has an unknown field: environmnt; did you mean environment?',
      'p.yaml:4:1: a tab indents the line',
    ],
  ],
  [
    'a bracket that is not closed',
    `${head}${rule.replace('allow', 'alow')}${rule.replace('priority: 1', 'priority: 2').replace(']', '')}`,
    ['p.yaml:5: rules[0].effect must be one of', 'p.yaml:9:'],
  ],
])('reports what is wrong before %s, and nothing that may follow from it', async (_, text, expected) => {
  const faults = await faultsOf(text)
  expect(faults.toSorted()).toEqual(expected.map((start) => expect.stringContaining(start)))
})

test.each([
  ['Latin-1', Buffer.from(`${head}# f\u00fcr`, 'latin1'), 4],
  ['UTF-16', Buffer.from(`\uFEFF${head}`, 'utf16le'), 1],
  ['UTF-16 without a mark', Buffer.from(head, 'utf16le'), 1],
  ['an incomplete character at the end', Buffer.from(`${head}\u00fc`).subarray(0, -1), 4],
])('refuses a file in %s instead of changing its characters', async (_, bytes, line) => {
  expect(await faultsOf(bytes)).toEqual([`p.yaml:${line}: the file is not text in UTF-8; save it with this encoding`])
})

test('says why a path cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-file-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await symlink('nowhere', join(folder, 'broken.yaml'))
  await symlink('circle.yaml', join(folder, 'circle.yaml'))
  for (const [path, words] of [
    ['none.yaml', 'file not found: '],
    ['broken.yaml', 'is a link to a file that does not exist'],
    ['circle.yaml', 'its links lead to one another'],
    ['.', 'it is a folder'],
  ] as const)
    await expect(readPolicyFile(join(folder, path))).rejects.toThrow(words)
})

const inexact = 'is beyond 2^53, or JSON cannot represent it exactly; quote it to make it a string'
const condition = (value: string) =>
  `${head}${rule.replace(' }', `, when: [{ path: args.account, op: eq, value: ${value} }] }`)}`
const big = fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n })
const notation = fc.oneof(
  big.map(String),
  big.map((n) => `-${n}`),
  big.map((n) => `0x${n.toString(16)}`),
  big.map((n) => `0o${n.toString(8)}`),
  big.map((n) => `${n}.0`),
  big.map((n) => `+${n}e0`),
  big.map((n) => `0.${n}0001`),
  fc.constantFrom('.inf', '-.Inf', '.nan', '1e400', '1E-400', '9007199254740991.9', '!!int "9007199254740993"'),
)

test('reports every notation of a number that JSON cannot represent exactly, with its line and column', async () => {
  await fc.assert(
    fc.asyncProperty(notation, async (number) => {
      const text = condition(number)
      const column = text.split('\n')[5]!.lastIndexOf(number.replace(/^!!int /, '')) + 1
      const source = number.replace(/^!!int "(.*)"$/, '$1')
      expect(await faultsOf(text)).toEqual([`p.yaml:6:${column}: ${source} ${inexact}`])
    }),
    { numRuns: 40 },
  )
})

test('reports a number with underscores, and a key that is a number, if they are not exact', async () => {
  expect(await faultsOf(`%YAML 1.1\n---\n${condition('9_007_199_254_740_993')}`)).toEqual([
    `p.yaml:8:78: 9_007_199_254_740_993 ${inexact}`,
  ])
  expect(await faultsOf('{9007199254740993: 1}')).toEqual([`p.yaml:1:2: 9007199254740993 ${inexact}`])
})

test.each(['!!float 9007199254740993', '!!float 5', '!number 5'])('reports %s, a tag without effect', async (value) => {
  const [fault] = await faultsOf(condition(value))
  expect(fault).toMatch(/^p.yaml:6:\d+: the value does not fit its tag/)
})

test.each(['9007199254740991', '0x1fffffffffffff', '0o17', '.5', '5.', '+1e3', '0.1', '-0'])(
  'accepts the exact number %s',
  async (number) => expect(await faultsOf(condition(number))).toEqual(['no fault']),
)

const zeros = fc.stringMatching(/^[-+]?0+[0-9]{1,9}(\.[0-9]{1,4})?$/)

test('reports a number with a 0 at its start: as a number it would lose it, and YAML 1.1 reads it with base 8', async () => {
  await fc.assert(
    fc.asyncProperty(zeros, fc.constantFrom('', '%YAML 1.1\n---\n'), async (number, version) => {
      const faults = await faultsOf(version + condition(number))
      // In YAML 1.1, a number that starts with 0 has base 8. So `08` is text there: 8 is not a digit of base 8.
      expect(faults[0]).toMatch(/starts with 0, which a number does not keep|is beyond 2\^53|^no fault$/)
      if (version === '') expect(faults[0]).toContain(`${number} starts with 0`)
    }),
    { numRuns: 60 },
  )
})

test.each(['1_000', '9_007_199_254_740_993', '0b11', '0x_ff', '-190:20:30', '1_0.5'])(
  'warns of %s, which is a number for other parsers of YAML, unless it is in quotes',
  async (value) => {
    const folder = await mkdtemp(join(tmpdir(), 'mandate-file-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'p.yaml')
    await writeFile(path, condition(value))
    expect((await readPolicyFile(path)).warnings).toEqual([
      `${path}:6:78: ${value} is text, not a number; put it in quotes, or write the number in decimal digits`,
    ])
    await writeFile(path, condition(`'${value}'`))
    expect((await readPolicyFile(path)).warnings).toEqual([])
  },
)

test.each(['1', '0x1'])('takes linear time for a long text that begins as the number %s_0', async (number) => {
  const name = `${number}${'_'.repeat(1 << 19)}x`
  expect(await faultsOf(`name: ${name}\nenvironment: null\nrules: []\n`)).toEqual([
    'p.yaml:1: name must be a string of 1 to 200 characters',
  ])
})

test('reports all errors of a file together', async () => {
  expect(await faultsOf(`${head}  - priority: x\n    effect: alow\n    match: { tools: "*" }\n`)).toHaveLength(3)
})

const mistakes = [
  { text: 'name: Q', fault: 'the field is in this place twice' },
  { text: 'extra: 1', fault: 'the file has an unknown field: extra' },
  { text: 'version: 9007199254740993', fault: '9007199254740993 is beyond 2^53' },
  { text: 'default_effect: alow', fault: 'default_effect must be one of allow' },
  { text: 'dlp_enabled: "no"', fault: 'dlp_enabled must be true or false' },
  { text: 'override_mode: off', fault: 'override_mode must be one of' },
  { text: 'rules: [{ priority: 1, effect: allow, match: { tools: ["mcp:"] } }]', fault: 'rules[0].match.tools[0] ' },
] as const

test('reports one error for each mistake, whichever mistakes a file has', async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray([...mistakes]), async (made) => {
      const rules = made.some(({ text }) => text.startsWith('rules')) ? '' : 'rules: []\n'
      const faults = await faultsOf(
        `name: P\nenvironment: null\n${rules}${made.map(({ text }) => `${text}\n`).join('')}`,
      )
      if (made.length > 0) expect(faults).toHaveLength(made.length)
      for (const { fault } of made) expect(faults.join('\n')).toContain(`: ${fault}`)
    }),
    { numRuns: 60 },
  )
})

test('finds the id of an invalid file, also after a byte order mark', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-file-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'a.yaml')
  const id = '0190a3c5-7e00-7000-8000-000000000001'
  await writeFile(path, `\uFEFFid: ${id}\nname: 5\n`)
  expect(await readKnownFile(path)).toMatchObject({ id, fault: expect.stringContaining('name must be a string') })
})

describe('finds the id of an invalid file', () => {
  const id = '01980a3c-7e00-7000-8000-00000000000a'
  const inRule = 'rules:\n  - id: 01980a3c-7e00-7000-8000-00000000000b\n    effect: [\n'
  const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')

  test.each<[string, string | Buffer, string | undefined]>([
    ['in a line', `id: ${id}\n${inRule}`, id],
    ['in capital letters', `id: "${id.toUpperCase()}" # pushed\n${inRule}`, id],
    ['if the field is in quotes', `"id": ${id}\n${inRule}`, id],
    ['with a tag', `id: !!str ${id}\n${inRule}`, id],
    ['with a space before the colon', `id : ${id}\n${inRule}`, id],
    ['in JSON', `{"name": "x", "id": "${id}",, }`, id],
    ['in JSON that ends early', `{\n  "id": "${id}",\n  "rules": [`, id],
    ['in JSON that cannot be read at all', `{"id": "${id}"\n}}}]\t"\n`, id],
    ['in UTF-16 of Windows', utf16(`id: ${id}\r\nname: P\r\n`), id],
    ['in UTF-16 of other systems', utf16(`id: ${id}\nname: P\n`).swap16(), id],
    ['but not the id of a rule', `name: P\n${inRule}`, undefined],
  ])('%s', async (_, text, found) => {
    const folder = await mkdtemp(join(tmpdir(), 'mandate-file-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'p.yaml'), text)
    expect(await readKnownFile(join(folder, 'p.yaml'))).toMatchObject({ id: found, file: undefined })
  })
})

test('writing a file keeps its links, its mode, its line ends and its byte order mark', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-file-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const at = (name: string) => join(folder, name)
  await writeFile(at('a.yaml'), '\uFEFF# a\r\nb: 1\r\n')
  await chmod(at('a.yaml'), 0o660)
  await symlink('a.yaml', at('link.yaml'))
  await writeWhole(at('link.yaml'), '# a\nb: 2\n')
  expect(await readlink(at('link.yaml'))).toBe('a.yaml')
  expect(await readFile(at('a.yaml'), 'utf8')).toBe('\uFEFF# a\r\nb: 2\r\n')
  expect((await stat(at('a.yaml'))).mode & 0o777).toBe(0o660)
  const long = `${'a'.repeat(250)}.yaml`
  await writeWhole(at(long), 'b: 3\n')
  await rm(at(long))
  await link(at('a.yaml'), at('hard.yaml'))
  await writeWhole(at('hard.yaml'), 'b: 3\n')
  expect(await readFile(at('a.yaml'), 'utf8')).toBe('\uFEFFb: 3\r\n')
  expect((await readdir(folder)).sort()).toEqual(['a.yaml', 'hard.yaml', 'link.yaml'])
})

const isRoot = process.getuid?.() === 0

/** Makes a file of another user that its group may write, and writes it as a member of the group. @returns what the folder has then */
async function writeAsMember({ file = 0o660, folder: mode = 0o775 } = {}) {
  // A member of the group may not be allowed into TMPDIR.
  const folder = await mkdtemp('/tmp/mandate-group-')
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'p.yaml')
  await writeFile(path, 'old')
  await chown(path, 12001, 54321)
  await chmod(path, file)
  await chown(folder, 12001, 54321)
  await chmod(folder, mode)
  const groups = process.getgroups!()
  process.setgroups!([54321])
  process.setegid!(12002)
  process.seteuid!(12002)
  try {
    await writeWhole(path, 'new')
  } finally {
    process.seteuid!(0)
    process.setegid!(0)
    process.setgroups!(groups)
  }
  const { uid, gid, mode: left } = await stat(path)
  return {
    owner: `${uid}:${gid}`,
    mode: (left & 0o777).toString(8),
    text: await readFile(path, 'utf8'),
    others: (await readdir(folder)).length - 1,
  }
}

describe.runIf(isRoot)('a member of the group who writes the file of another user', () => {
  const kept = { owner: '12001:54321', mode: '660', text: 'new', others: 0 }

  test('keeps its owner and its group', async () => {
    expect(await writeAsMember()).toEqual(kept)
  })

  test('writes it also in a folder that only others may write', async () => {
    expect(await writeAsMember({ folder: 0o755 })).toEqual(kept)
  })

  test('writes it also in a folder in which only its owner may replace it', async () => {
    expect(await writeAsMember({ folder: 0o1777 })).toEqual(kept)
  })

  test('replaces it and keeps its group if only the folder may be written', async () => {
    expect(await writeAsMember({ file: 0o640 })).toEqual({ ...kept, owner: '12002:54321', mode: '640' })
  })
})

test('a text with other line ends has the same lines after a change of the file', () => {
  const lines = fc.array(fc.stringMatching(/^[^\r\n]*$/), { minLength: 2 })
  fc.assert(
    fc.property(lines, lines, (old, text) => {
      expect(
        inStyleOf(old.join('\r\n'), text.join('\n'))
          .replace(/^\uFEFF/, '')
          .split('\r\n'),
      ).toEqual(text)
      expect(inStyleOf(old.join('\n').replace(/^\uFEFF/, ''), text.join('\n'))).toBe(text.join('\n'))
    }),
  )
})
