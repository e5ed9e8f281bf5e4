import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePolicy, evaluate } from '../src/evaluate.ts'
import { evaluateTool } from '../src/evaluate-tool.ts'
import { skeletonsOf } from '../src/look-alike.ts'
import { mayPass } from '../src/may-pass.ts'
import type { Effect, PolicyDocument } from '../src/types.ts'

const policyFor = (patterns: Record<string, Effect>, default_effect: Effect = 'allow'): PolicyDocument => ({
  default_effect,
  rules: Object.entries(patterns).map(([pattern, effect], index) => ({
    id: `r${index}`,
    name: '',
    priority: index,
    enabled: true,
    effect,
    match: { tools: [pattern], when: [] },
    reason: '',
  })),
})
const decide = (document: PolicyDocument, tool: string) =>
  evaluate(compilePolicy(document), { tool, args: {}, agent: {}, environment: {} })
const encode = (name: string) =>
  [...Buffer.from(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9_.-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

const forbidden = policyFor({ 'mcp:files/forbidden': 'deny' })

describe('denies a tool name that imitates a name in a rule, even with default allow', () => {
  it.each([
    ['another case', 'Forbidden'],
    ['a NUL at the end', 'forbidden\0'],
    ['a zero-width space', 'for\u200bbidden'],
    ['a zero-width joiner', 'forbidden\u200d'],
    ['a soft hyphen', 'for\u00adbidden'],
    ['a byte order mark', '\ufeffforbidden'],
    ['a right-to-left override', '\u202eforbidden'],
    ['white space', ' forbidden'],
    ['white space inside', 'for bidden'],
    ['a slash before it', '/forbidden'],
    ['slashes after it', 'forbidden//'],
    ['a backslash', 'forbidden\\'],
    ['full-width letters', 'ｆｏｒｂｉｄｄｅｎ'],
    ['a mathematical letter', '𝐟orbidden'],
    ['a Cyrillic letter', 'f\u043erbidden'],
    ['a Greek letter', 'f\u03bfrbidden'],
    ['a digit for a letter', 'f0rbidden'],
    ['a digit one for an i', 'Forb\u0131dden'],
    ['an accent', 'förbidden'],
    ['a percent code', '%66orbidden'],
  ])('%s', (_what, name) => {
    const tool = `mcp:files/${encode(name)}`
    expect(decide(forbidden, tool)).toMatchObject({ effect: 'deny', rule_id: null })
    expect(mayPass(compilePolicy(forbidden), { tool, agent: {}, environment: {} })).toBe(false)
    expect(evaluateTool(compilePolicy(forbidden), tool)).toMatchObject({ effect: 'deny' })
  })

  it('if the server name imitates it', () => {
    expect(decide(forbidden, 'mcp:Files/forbidden')).toMatchObject({ effect: 'deny', rule_id: null })
  })

  it('if it imitates a pattern with a star', () => {
    const document = policyFor({ 'mcp:files/delete*': 'require_approval' })
    expect(decide(document, 'mcp:files/Delete_all')).toEqual({
      effect: 'deny',
      rule_id: null,
      reason: 'the tool name looks like mcp:files/delete*, which a rule names, but differs from it',
      undecided: null,
      over_limit: null,
    })
  })

  it('if it imitates a pattern with capital letters', () => {
    expect(decide(policyFor({ 'mcp:files/Del*': 'deny' }), 'mcp:files/delete')).toMatchObject({ effect: 'deny' })
    expect(decide(policyFor({ 'mcp:files/Del': 'deny' }), 'mcp:files/del')).toMatchObject({ effect: 'deny' })
  })

  it('if it has invisible characters or consecutive slashes, even without rules', () => {
    for (const name of ['other\0', 'o\u200bther', 'a//b', 'a\\\\b', '\u2063x']) {
      expect(decide(policyFor({}), `mcp:files/${encode(name)}`)).toMatchObject({ effect: 'deny', rule_id: null })
    }
  })
})

describe('decides other names by the rules', () => {
  it.each(['forbidden_too', 'forbid', 'allowed', 'unforbidden', 'for%2Fbidding', '%C3%A9t%C3%A9'])('%s', (name) => {
    expect(decide(forbidden, `mcp:files/${name}`)).toMatchObject({ effect: 'allow' })
  })

  it('a name that equals a literal pattern imitates no other name', () => {
    const document = policyFor({ 'mcp:files/forbidden': 'deny', 'mcp:files/Forbidden': 'allow' }, 'deny')
    expect(decide(document, 'mcp:files/Forbidden')).toMatchObject({ effect: 'allow', rule_id: 'r1' })
    expect(decide(document, 'mcp:files/FORBIDDEN')).toMatchObject({ effect: 'deny', rule_id: null })
  })

  it('a name that a star matches imitates no other name', () => {
    expect(decide(policyFor({ 'mcp:*/*': 'allow', '*': 'deny' }, 'deny'), 'mcp:Files/Read')).toMatchObject({
      rule_id: 'r1',
    })
    expect(decide(policyFor({ 'mcp:*/*': 'allow' }, 'deny'), 'mcp:Files/Read')).toMatchObject({ effect: 'allow' })
  })

  it('ignores the names in a disabled rule', () => {
    const [rule] = forbidden.rules
    const document = { ...forbidden, rules: [{ ...rule!, enabled: false }] }
    expect(decide(document, 'mcp:files/Forbidden')).toMatchObject({ effect: 'allow' })
  })
})

const letters = fc.string({ unit: fc.constantFrom(...'abcdefghijkmopqstuvxyz_-.'), minLength: 1, maxLength: 12 })
const inserted = fc.constantFrom('\0', '\u200b', '\u200c', '\u2060', '\ufeff', '\u00ad', ' ', '\t', '\u00a0', '/', '\\')
const alter = fc.constantFrom<(text: string) => string>(
  (text) => text.toUpperCase(),
  (text) => text.replaceAll(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  (text) => text.replaceAll('a', '\u0430').replaceAll('o', '\u03bf').replaceAll('e', '\u0435'),
  (text) => text.replaceAll('o', '0'),
)

it('property: a disguised name never bypasses a rule', () => {
  fc.assert(
    fc.property(letters, alter, inserted, fc.nat(), fc.boolean(), (name, change, extra, place, inserts) => {
      const at = place % (name.length + 1)
      const disguised = change(inserts ? name.slice(0, at) + extra + name.slice(at) : name)
      fc.pre(disguised !== name)
      const verdict = decide(policyFor({ [`mcp:files/${name}`]: 'deny' }), `mcp:files/${encode(disguised)}`)
      expect(verdict.effect).toBe('deny')
    }),
  )
})

it('property: a name that equals a literal pattern is never denied as an imitation', () => {
  const name = fc.string({ unit: fc.constantFrom(...'abIl10oOrnvw_-.'), minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
      const policy = policyFor(Object.fromEntries(names.map((one) => [`mcp:files/${one}`, 'allow'])), 'deny')
      for (const one of names) expect(decide(policy, `mcp:files/${one}`).effect).toBe('allow')
    }),
  )
})

it('property: a name of printable ASCII has the same skeletons as with an invisible character in it', () => {
  const character = fc.oneof(
    fc.constantFrom(...'Il10|oOrnvv_.-'),
    fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  )
  const segment = fc.string({ unit: character, maxLength: 12 }).filter((text) => !/[%/\\]/.test(text))
  fc.assert(
    fc.property(segment, segment, (namespace, operation) => {
      const hidden = skeletonsOf(`mcp:\u200b${namespace}/${operation}`)
      expect(skeletonsOf(`mcp:${namespace}/${operation}`)).toEqual(hidden)
    }),
  )
})
