import { chmod, link, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { inStyleOf, readPolicyFile, writeWhole } from './policy-file.ts'

async function faultsOf(text: string): Promise<string[]> {
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
  ['an unknown field', `${head}${rule}    wen: []\n`, 'p.yaml:7: rules[0] has an unknown field: wen'],
  [
    'a condition under an unknown field',
    `${head}  - priority: 1\n    effect: allow\n    match: { tools: ["*"], if: [] }\n`,
    'p.yaml:6: rules[0].match has an unknown field: if',
  ],
  ['a missing field', 'name: P\nrules: []\n', 'p.yaml:1: environment is required'],
  ['an invalid pattern', head + rule.replace('mcp:a/b', 'mcp:'), 'p.yaml:6: rules[0].match.tools[0] '],
  ['two rules of one priority', head + rule + rule, 'p.yaml:7: rules[1].priority is already used by rules[0]'],
  ['a duplicate key', 'name: P\nname: Q\n', 'p.yaml:2: the field is in this place twice'],
  ['invalid YAML', 'name: [\n', 'p.yaml:2: '],
  ['a tab', 'name: P\nrules:\n\t- priority: 1\n', 'p.yaml:3: a tab indents the line; use spaces'],
  ['a star without quotes', `${head}${rule.replace('"mcp:a/b"', '*')}`, 'p.yaml:6: the value starts with *'],
  ['an alias of nothing', `${head}${rule.replace('["mcp:a/b"]', '*all')}`, 'p.yaml: the alias *all has no anchor &all'],
  ['an empty file', '', 'p.yaml:1: '],
  ['a list', '- 1\n', 'p.yaml:1: '],
  ['a second document', `${head}${rule}---\nname: Q\n`, 'p.yaml:7: '],
  [
    'aliases that expand without limit',
    `a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nname: [*c, *c, *c, *c, *c]\n`,
    'p.yaml: Excessive alias count',
  ],
])('reports %s with its line', async (_, text, fault) => {
  expect(
    (await faultsOf(text)).some((line) => line.startsWith(fault)),
    (await faultsOf(text)).join('\n'),
  ).toBe(true)
})

test('reports all errors of a file together', async () => {
  expect(await faultsOf(`${head}  - priority: x\n    effect: alow\n    match: { tools: "*" }\n`)).toHaveLength(3)
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
  await link(at('a.yaml'), at('hard.yaml'))
  await writeWhole(at('hard.yaml'), 'b: 3\n')
  expect(await readFile(at('a.yaml'), 'utf8')).toBe('\uFEFFb: 3\r\n')
  expect((await readdir(folder)).sort()).toEqual(['a.yaml', 'hard.yaml', 'link.yaml'])
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
