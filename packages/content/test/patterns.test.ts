import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { builtinPatterns } from '../src/builtin/catalogue.ts'
import { compileKnown, compilePattern } from '../src/compile-pattern.ts'
import { SearchedText } from '../src/searched-text.ts'
import { examples } from './examples.ts'
import { matchingTexts } from './matching-texts.ts'
import { sources } from './sources.ts'

const places = (pattern: ReturnType<typeof compilePattern>, text: string) => pattern.find(new SearchedText(text))
const finds = (pattern: ReturnType<typeof compilePattern>, text: string) => places(pattern, text).length > 0
/** The same pattern in the library of regular expressions: an unknown id is not searched by the engine's own expressions. */
const inRe2 = (pattern: (typeof builtinPatterns)[number]) => compilePattern({ ...pattern, id: 'unknown' })
const allTexts = Object.values(examples).flatMap((one) => [...one.finds, ...one.ignores])

test('every built-in pattern has examples that it finds and look-alikes', () => {
  expect(Object.keys(examples).sort()).toEqual(builtinPatterns.map(({ name }) => name).sort())
  expect(new Set(builtinPatterns.map(({ id }) => id)).size).toBe(builtinPatterns.length)
})

describe.each(builtinPatterns.map((pattern) => [pattern.name, pattern] as const))('%s', (name, pattern) => {
  const compiled = compilePattern(pattern)
  const { finds: found, ignores } = examples[name] ?? { finds: [], ignores: [] }

  it.each(found)('finds %j', (text) => expect(finds(compiled, text)).toBe(true))
  it.each(ignores)('ignores %j', (text) => expect(finds(compiled, text)).toBe(false))

  it('is RE2 syntax and finds the same places in both engines', () => {
    expect(() => RE2JS.compile(pattern.expression)).not.toThrow()
    const other = inRe2(pattern)
    for (const text of allTexts) expect(places(compiled, text), text).toEqual(places(other, text))
  })

  it('may match joined texts if it matches one of them', () => {
    for (const text of found) {
      const joined = [...ignores, text, 'and more'].join('\n')
      expect(compiled.mayMatch(new SearchedText(joined))).toBe(true)
    }
  })
})

describe.each([
  ['Payment card number', '4111 1111 1111 1111', '737', '5555-5555-5555-4444'],
  ['IBAN', 'DE89 3704 0044 0532 0130 00', 'no42', 'GB82WEST12345698765432'],
])('%s beside other digits', (name, first, between, second) => {
  const pattern = builtinPatterns.find((one) => one.name === name)!
  const texts = [
    [first, second],
    [first, between, second],
    [between, first, between, first, second],
    [first, first],
  ]

  it.each(texts.map((parts) => parts.join(' ')))('is found at each of its places in %j', (text) => {
    const found = [...text.matchAll(new RegExp(`${first}|${second}`, 'g'))].map(([all]) => all)
    for (const one of [compilePattern(pattern), inRe2(pattern)])
      expect(places(one, text).map(({ start, end }) => text.slice(start, end))).toEqual(found)
  })
})

const part = fc
  .tuple(fc.constantFrom(...allTexts), fc.nat(60), fc.nat(60))
  .map(([text, from, length]) => text.slice(from % text.length).slice(0, length + 1))
const separate = fc.constantFrom(...allTexts, '@', '://', ':', '.', ' ', '\n', 'a@b.example', 'K', 'ſ')
const mixOf = (...parts: fc.Arbitrary<string>[]) =>
  fc.array(fc.oneof(...parts), { maxLength: 8 }).map((texts) => texts.join(''))

test.each(
  builtinPatterns
    .filter(({ keywords, run }) => keywords.length > 0 || run)
    .map((pattern) => [pattern.name, pattern] as const),
)('%s: what is skipped has no match, in any mix of texts', (_name, pattern) => {
  // Without the check, which would leave out most of the texts of the generator.
  const { check: _, ...unchecked } = pattern
  const { around: __, run: ___, ...rest } = unchecked
  const [compiled, other] = [compileKnown(unchecked), compileKnown({ ...rest, keywords: [] })]
  const matching = matchingTexts(pattern.expression)
  for (const texts of [matching, mixOf(part, separate, matching)]) {
    fc.assert(
      fc.property(texts, (text) => {
        expect(places(compiled, text)).toEqual(places(other, text))
      }),
      { numRuns: 500 },
    )
  }
})

const runs = fc
  .array(fc.tuple(fc.constantFrom('a', 'Z0', '/', ' ', '.', 'é'), fc.nat(12)), { maxLength: 12 })
  .map((parts) => parts.map(([characters, times]) => characters.repeat(times)).join(''))

test.each([
  ['base64', '[A-Za-z0-9+/_-]'],
  ['hex', '[0-9a-fA-F ]'],
] as const)('finds a run of characters of %s, wherever it is in a text', (of, characters) => {
  fc.assert(
    fc.property(runs, fc.integer({ min: 1, max: 30 }), (text, atLeast) => {
      const expected = new RegExp(`${characters}{${atLeast}}`).test(text)
      expect(new SearchedText(text).hasRun({ of, atLeast })).toBe(expected)
    }),
    { numRuns: 500 },
  )
})

test('no pattern needs more than linear time for repeated parts of its examples', { tags: ['long'] }, () => {
  const compiled = builtinPatterns.map(compilePattern)
  const took = (text: string) => {
    const startMs = performance.now()
    for (const pattern of compiled) places(pattern, text)
    return performance.now() - startMs
  }
  took(allTexts.join(' '))
  for (const part of [
    'a',
    '1 ',
    '4111 ',
    '2346 ',
    'no42 ',
    'a@',
    '://',
    'eyJ',
    '-----BEGIN ',
    'ignore all ',
    'how to ignore all ',
    '![',
    'AB12',
    'a.b:',
    '\u200b',
    'SG.',
    '+1 ',
  ]) {
    expect(took(part.repeat(Math.ceil(50_000 / part.length))), part).toBeLessThan(3_000)
  }
})

test.each([
  ['embeddings', '\u202a'],
  ['embeddings and letters', '\u202aa'],
  ['isolates', '\u2066 '],
  ['hidden characters in words', 'a\u200bb '],
  ['hidden characters', '\u200b'],
  ['tag characters', '\u{e0041}'],
  ['base64', `${'aB'.repeat(14)} `],
  ['hexadecimal digits', `${'ab'.repeat(21)},`],
])('the checks of matches read a text of %s a few times, and not once for each match', (_name, part) => {
  const text = part.repeat(Math.ceil(16_384 / part.length))
  const { test: original } = RegExp.prototype
  let characters = 0
  RegExp.prototype.test = function (searched) {
    characters += searched.length
    return original.call(this, searched)
  }
  onTestFinished(() => {
    RegExp.prototype.test = original
  })
  for (const pattern of builtinPatterns.map(compilePattern)) places(pattern, text)
  expect(characters).toBeLessThan(20 * text.length)
})

const table = () => {
  const rows = builtinPatterns.map((pattern) => {
    const compiled = compilePattern(pattern)
    const { finds: found, ignores } = examples[pattern.name] ?? { finds: [], ignores: [] }
    const hits = found.filter((text) => finds(compiled, text)).length
    const wrong = ignores.filter((text) => finds(compiled, text)).length
    const percent = (part: number, all: number) => `${Math.round((100 * part) / Math.max(1, all))} %`
    const cells = [
      pattern.name,
      `\`${pattern.group}\``,
      found.length,
      ignores.length,
      percent(hits, hits + wrong),
      percent(hits, found.length),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const origins = builtinPatterns.flatMap(({ name }) => {
    const found = sources[name]?.map(({ says, url }) => (url === undefined ? says : `[${says}](${url})`))
    return found ? [`| ${name} | ${found.join('; ')} |`] : []
  })
  return `# Built-in content patterns

The patterns that [content rules](content-rules.md) may name. \`mandate content patterns\` and \`GET /content-patterns\` list them with their expressions. The "Mandate key" is an [API key](glossary.md#api-key), an [agent key](glossary.md#agent-key) or an [edge key](glossary.md#edge-key).

Each pattern has a set of labelled examples in \`packages/content/test/examples.ts\`: texts that it must find, and look-alikes that it must not find. A test writes and checks this table. Precision is the part of the found examples
that should be found. Recall is the part of the examples to find that is found. The sets are small and were written with the patterns. [security.md](security.md#content-rules) has measurements on other texts.

| Pattern | Group | Examples | Look-alikes | Precision | Recall |
|---|---|---|---|---|---|
${rows.join('\n')}

## Where the formats of secrets come from

A source is the documentation of the issuer, a standard, or the rules of [gitleaks](https://github.com/gitleaks/gitleaks), a scanner for secrets. Where no source was found, the pattern follows secrets that people saw. An issuer may change a format at any time.

| Pattern | Sources |
|---|---|
${origins.join('\n')}
`
}

test('each pattern of secrets names where its format comes from', () => {
  const names = builtinPatterns.filter(({ group }) => group === 'secrets').map(({ name }) => name)
  expect(Object.keys(sources)).toEqual(names)
})

test('the page of the patterns has the measured precision and recall', async () => {
  await expect(table()).toMatchFileSnapshot('../../../docs/content-patterns.md')
})
