import { PolicyFileContent } from '@mandate/contract/policies/policy-file'
import type { Schema } from '@mandate/sdk/operation'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDocument, stringify } from 'yaml'
import { parseYaml } from './parse-yaml.ts'
import { snapshotOf } from './policy-content.ts'
import { newPolicyText, updatedText } from './policy-tree.ts'

type Policy = Schema<'Policy'>
type Rule = Schema<'Rule'>

const uuidOf = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`
const rule = (number: number, fields: Partial<Rule> = {}): Rule => ({
  id: uuidOf(number),
  name: `r${number}`,
  priority: number,
  enabled: true,
  effect: 'allow',
  match: { tools: ['mcp:a/b'], when: [] },
  reason: '',
  ...fields,
})
const policy = (rules: Rule[], fields: Partial<Policy> = {}): Policy => ({
  id: uuidOf(0),
  tenant_id: uuidOf(999),
  name: 'P',
  agents: 0,
  description: '',
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
  version: 7,
  rules,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...fields,
})
const updated = (text: string, to: Policy) => updatedText({ text, tree: parseYaml(text).tree }, to, null) ?? text

/** Plain objects, as parsers make them. */
const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { noNullPrototype: true })
const anyRule = record({
  name: fc.string({ maxLength: 20 }),
  enabled: fc.boolean(),
  effect: fc.constantFrom('allow', 'deny', 'require_approval'),
  reason: fc.string({ maxLength: 20 }),
  limit: fc.option(record({ count: fc.constantFrom(1, 10), window_s: fc.constantFrom(60, 3600) }), {
    nil: undefined,
  }),
  match: record({
    tools: fc.array(fc.constantFrom('mcp:a/b', '*', 'fn:x/*'), { minLength: 1, maxLength: 3 }),
    when: fc.array(
      record({
        path: fc.constant('args.x'),
        op: fc.constantFrom('eq', 'ne'),
        value: fc.oneof(fc.string(), fc.integer(), fc.boolean()),
      }),
      { maxLength: 2 },
    ),
  }),
})
const anyPolicy = fc
  .record({
    rules: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 30 }), anyRule), { selector: ([at]) => at, maxLength: 6 }),
    description: fc.string(),
  })
  .map(({ rules, description }) =>
    policy(
      rules.sort(([a], [b]) => a - b).map(([at, fields]) => rule(at, fields as Partial<Rule>)),
      { description },
    ),
  )

describe('a policy’s file', () => {
  test('a new file has the policy’s content, and an update with the same policy changes nothing', () => {
    fc.assert(
      fc.property(anyPolicy, (one) => {
        const text = newPolicyText(one, null)
        const content = PolicyFileContent.parse(parseDocument(text).toJS())
        expect(snapshotOf(content, null, one.rules as never).rules).toEqual(one.rules)
        expect(content).toMatchObject({ id: one.id, version: 7, description: one.description })
        expect(updated(text, one)).toBe(text)
      }),
    )
  })

  test('an updated file has the policy’s content, whatever the file contained before', () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, (before, after) => {
        const content = PolicyFileContent.parse(parseDocument(updated(newPolicyText(before, null), after)).toJS())
        expect(snapshotOf(content, null, after.rules as never).rules).toEqual(after.rules)
        expect(content.description).toBe(after.description)
      }),
    )
  })

  test('an update keeps comments, order and style, and removes the comments of removed rules', () => {
    const text = `# the file
name: P # the name
environment: null
rules:
  # second, though written first
  - { name: r2, priority: 2, effect: allow, match: { tools: [ "mcp:a/b" ] } }
  # goes
  - name: r1
    priority: 1
    effect: allow
    match:
      tools:
        - mcp:a/b # both
  - name: r3
    priority: 3 # late
    effect: deny
    match: { tools: [ mcp:a/b ] }
`
    expect(updated(text, policy([rule(2), rule(3, { effect: 'deny', reason: 'why' })], { name: 'Q' }))).toBe(`# the file
id: ${uuidOf(0)}
version: 7
name: Q # the name
environment: null
rules:
  # second, though written first
  - { name: r2, priority: 2, effect: allow, match: { tools: [ "mcp:a/b" ] }, id: ${uuidOf(2)} }
  - name: r3
    priority: 3 # late
    effect: deny
    match: { tools: [ mcp:a/b ] }
    reason: why
    id: ${uuidOf(3)}
`)
  })

  test('an update keeps the value of every alias, whatever becomes of its anchor', () => {
    const anyTools = fc.array(fc.constantFrom('mcp:a/b', '*', 'fn:x/*'), { minLength: 1, maxLength: 3 })
    const anyText = fc.constantFrom('P', 'Q', '')
    // Rule 1 has the anchors. The other rules use one of them, or none.
    const uses = fc.array(fc.constantFrom('tools', 'match', 'reason', 'none'), { maxLength: 4 })
    const target = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), anyTools, anyText), { maxLength: 5 })
    fc.assert(
      fc.property(uses, target, anyText, (used, wanted, description) => {
        const first = '  - { priority: 1, effect: allow, reason: &r P, match: &m { tools: &t [mcp:a/b] }, name: *n }\n'
        const others = used.map((use, at) => {
          const match = {
            tools: '{ tools: *t }',
            match: '*m',
            reason: '{ tools: [mcp:a/b] }',
            none: '{ tools: [mcp:a/b] }',
          }[use]
          return `  - { priority: ${at + 2}, effect: allow, match: ${match}${use === 'reason' ? ', reason: *r' : ''} }\n`
        })
        const text = `description: &n P\nname: *n\nenvironment: null\nrules:\n${first}${others.join('')}`
        const rules = [...new Map(wanted.map((one) => [one[0], one])).values()].sort(([a], [b]) => a - b)
        const to = policy(
          rules.map(([at, tools, reason]) => rule(at, { name: 'P', match: { tools, when: [] }, reason })),
          { description },
        )
        const content = PolicyFileContent.parse(parseDocument(updated(text, to)).toJS())
        expect(snapshotOf(content, null, to.rules as never).rules).toEqual(to.rules)
        expect(content).toMatchObject({ name: 'P', description })
      }),
    )
  })

  test('an update that changes nothing keeps anchors and aliases', () => {
    const text = newPolicyText(policy([rule(1), rule(2)]), null)
      .replace('tools:', 'tools: &t')
      .replace(/tools:\n.*\n/, 'tools: *t\n')
    expect(text).toMatch(/&t[\s\S]*\*t/)
    expect(updated(text, policy([rule(1), rule(2)]))).toBe(text)
  })

  /** A policy in a file of a person or of another program, with or without the ids that the first push adds. */
  const anyFile = fc
    .record({
      one: anyPolicy,
      indent: fc.constantFrom(1, 2, 3, 4),
      indentSeq: fc.boolean(),
      flowCollectionPadding: fc.boolean(),
      collectionStyle: fc.constantFrom('any' as const, 'flow' as const, 'json' as const),
      defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_SINGLE' as const, 'QUOTE_DOUBLE' as const),
      comment: fc.constantFrom('', '   # why', ' #'),
      lines: fc.constantFrom('', '\n\n', '# ---\n'),
      end: fc.constantFrom('', '\n', '\n\n\n'),
      hasIds: fc.boolean(),
    })
    .map(({ one, hasIds, collectionStyle, comment, lines, end, indent, ...style }) => {
      const { id, version, name, description } = one
      const rules = one.rules.map((each) => (hasIds ? each : { ...each, id: undefined }))
      const content = { ...(hasIds && { id, version }), name, description, environment: null, rules }
      const text =
        collectionStyle === 'json'
          ? JSON.stringify(content, null, indent)
          : // Other programs write numbers in another form than this one.
            `${lines}${stringify(content, { lineWidth: 0, defaultKeyType: 'PLAIN', indent, collectionStyle, ...style }).trimEnd()}`
              .replace(/^( *-? *priority: )(\d+)$/gm, `$10x$2${comment}`)
              .replace(/^(name: .*)$/m, `$1${comment}`)
      const read = parseYaml(text)
      return { text: text + end, hasIds, isBlock: collectionStyle === 'any', priorities: read.tree.toJS().rules, one }
    })

  test('a push of an unchanged policy changes only the lines of id and version', () => {
    fc.assert(
      fc.property(anyFile, ({ text, hasIds, isBlock, priorities, one }) => {
        const rules = one.rules.map((each, at) => ({ ...each, priority: priorities[at].priority }))
        const lines = updated(text, { ...one, rules, version: 8 }).split('\n')
        const old = text.split('\n')
        if (hasIds) {
          expect(lines).toEqual(old.map((line) => line.replace(/(\bversion["']?: ?)7\b/, '$18')))
        } else if (isBlock) {
          const added = lines.filter((line) => /^ *(?:id: ['"]?0190|version: 8$)/.test(line))
          expect(added).toHaveLength(2 + rules.length)
          expect(lines.filter((line) => !added.includes(line))).toEqual(old)
        } else {
          const kept = lines.join('').replaceAll(/,? *"?(id|version)"?: ("?0190[\w-]*"?|8),? */g, '')
          expect(kept.replaceAll(/[ ,]/g, '')).toEqual(old.join('').replaceAll(/[ ,]/g, ''))
        }
      }),
    )
  })

  test.each([
    [
      'lists without indentation and brackets without spaces, without a line end',
      'name: P\nenvironment: null\nrules:\n- {priority: 1, effect: allow, match: {tools: [mcp:a/b]}, name: r1}',
      `id: ${uuidOf(0)}\nversion: 7\nname: P\nenvironment: null\nrules:\n- {priority: 1, effect: allow, match: {tools: [mcp:a/b]}, name: r1, id: ${uuidOf(1)}}\n- name: r2\n`,
      '\n  id: 01900000-0000-7000-8000-000000000002',
    ],
    [
      'four spaces',
      'name: P\nenvironment: null\nrules:\n    - name: r1\n      priority: 1\n      effect: allow\n      match:\n          tools: [mcp:a/b]\n',
      'rules:\n    - name: r1\n      priority: 1\n      effect: allow\n      match:\n          tools: [mcp:a/b]\n      id',
      `\n      id: ${uuidOf(2)}\n`,
    ],
    [
      'indented JSON',
      '{\n    "name": "P",\n    "environment": null,\n    "rules": []\n}\n',
      `{\n    "id": "${uuidOf(0)}",\n    "version": 7,\n    "name": "P",\n    "environment": null,\n    "rules": [\n        {\n            "name": "r1"`,
      '        }\n    ]\n}\n',
    ],
  ])('an update that adds a rule keeps %s', (_, text, start, end) => {
    const changed = updated(text, policy([rule(1), rule(2)]))
    expect(changed).toContain(start)
    expect(changed.endsWith(end)).toBe(true)
  })
})
