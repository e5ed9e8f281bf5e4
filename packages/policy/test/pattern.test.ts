import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern, coversPattern, matches, overlaps, parsePattern } from '../src/pattern.ts'
import { pattern, toolName } from './arbitrary-policy.ts'
import { naiveMatches } from './naive-evaluate.ts'

describe('the pattern grammar', () => {
  test.each([
    '*',
    'mcp:github/create_issue',
    'fn:*/*',
    'http:api.example.com/*',
    'model:open-ai/gpt-5.1*',
    'resource:files/read',
    'resource:files/subscribe',
    'resource:*/*',
    'prompt:notes/summary',
    'prompt:notes/*',
    'mcp:**/**',
    `mcp:${'a'.repeat(64)}/b`,
  ])('accepts %s', (text) => {
    expect(parsePattern(text)).toMatchObject({ ok: true, pattern: { text } })
  })

  test.each<[unknown, RegExp]>([
    ['', /begin with mcp:/],
    ['**', /begin with mcp:/],
    ['github/create', /begin with mcp:/],
    ['MCP:a/b', /begin with mcp:/],
    ['sql:a/b', /begin with mcp:, fn:, http:, model:, resource: or prompt:$/],
    ['resources:a/read', /begin with mcp:/],
    ['resource:files', /two segments/],
    ['prompt:notes/a/b', /two segments/],
    ['*:a/b', /begin with mcp:/],
    [' mcp:a/b', /begin with mcp:/],
    ['mcp:a', /two segments/],
    ['mcp:a/b/c', /two segments/],
    ['mcp:/b', /1 to 64/],
    ['mcp:a/', /1 to 64/],
    ['mcp:a b/c', /1 to 64/],
    ['mcp:a:b/c', /1 to 64/],
    ['mcp:a/b\n', /1 to 64/],
    ['mcp:é/b', /1 to 64/],
    ['mcp:a/(b|c)+', /1 to 64/],
    [`mcp:${'a'.repeat(65)}/b`, /1 to 64/],
    ['mcp:*a*b*/c*d*', /four/],
    [7, /string/],
    [null, /string/],
  ])('rejects %j', (text, error) => {
    expect(parsePattern(text)).toEqual({ ok: false, error: expect.stringMatching(error) })
  })

  test('compilePattern throws for a malformed text', () => {
    expect(() => compilePattern('mcp:a')).toThrow(/mcp:a/)
  })
})

describe('matching', () => {
  test.each<[string, string, boolean]>([
    ['*', 'mcp:a/b', true],
    ['*', 'anything at all', true],
    ['mcp:a/b', 'mcp:a/b', true],
    ['mcp:a/b', 'mcp:a/bc', false],
    ['mcp:a/b', 'xmcp:a/b', false],
    ['mcp:a/b', 'mcp:A/b', false],
    ['mcp:a/b', 'fn:a/b', false],
    ['mcp:files/*', 'resource:files/read', false],
    ['resource:files/*', 'resource:files/read', true],
    ['resource:files/read', 'resource:files/subscribe', false],
    ['prompt:*/summary', 'prompt:notes/summary', true],
    ['*', 'resource:files/read', true],
    ['*', 'prompt:notes/summary', true],
    ['mcp:a/*', 'mcp:a/b/c', false],
    ['mcp:*/b', 'mcp:a/c/b', false],
    ['mcp:a/get_*', 'mcp:a/get_', true],
    ['mcp:a/*_all', 'mcp:a/delete_all', true],
    ['mcp:a/a*a', 'mcp:a/a', false],
    ['mcp:a/a*a', 'mcp:a/aa', true],
    ['mcp:a/*b*b*', 'mcp:a/ab', false],
    ['mcp:a/*b*b*', 'mcp:a/abab', true],
    ['mcp:a/*ab*b', 'mcp:a/ab', false],
    ['mcp:a/*ab*b', 'mcp:a/abb', true],
    ['mcp:a.c/b', 'mcp:abc/b', false],
    ['http:*/*', 'http:api.example.com/v1 é\n', true],
  ])('%s matches %j: %s', (text, tool, expected) => {
    expect(matches(compilePattern(text), tool)).toBe(expected)
  })

  test('matches like the equivalent regular expression', () => {
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), minLength: 1, maxLength: 6 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 })
    const patterns = fc.tuple(glob, glob).map(([a, b]) => `mcp:${a}/${b}`)
    const tools = fc.tuple(text, text).map(([a, b]) => `mcp:${a}/${b}`)
    fc.assert(
      fc.property(fc.oneof(patterns, pattern), fc.oneof(tools, toolName), (one, tool) => {
        const parsed = parsePattern(one)
        fc.pre(parsed.ok)
        expect(matches(compilePattern(one), tool)).toBe(naiveMatches(one, tool))
      }),
      { numRuns: 3000 },
    )
  })

  test('matches four stars against a million characters without backtracking', () => {
    const hostile = compilePattern('mcp:a/*a*a*ab')
    const tool = `mcp:a/${'a'.repeat(1_000_000)}`
    expect(matches(hostile, tool)).toBe(false)
  })
})

describe('one pattern covers another', () => {
  test.each<[string, string, boolean]>([
    ['*', 'mcp:*/*', true],
    ['mcp:*/*', '*', false],
    ['mcp:a/*', 'mcp:a/get_*', true],
    ['mcp:a/get_*', 'mcp:a/*', false],
    ['mcp:*/*', 'fn:a/b', false],
    ['mcp:a*/b', 'mcp:a*c/b', true],
    ['mcp:a/a*', 'mcp:a/*a', false],
    ['mcp:a/**', 'mcp:a/*', true],
  ])('%s covers %s: %s', (broad, narrow, expected) => {
    expect(coversPattern(compilePattern(broad), compilePattern(narrow))).toBe(expected)
  })

  test('a covering pattern matches every tool that the covered pattern matches', () => {
    fc.assert(
      fc.property(pattern, pattern, toolName, (a, b, tool) => {
        const [broad, narrow] = [compilePattern(a), compilePattern(b)]
        fc.pre(coversPattern(broad, narrow) && matches(narrow, tool))
        expect(matches(broad, tool)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

test('two patterns overlap if a tool name matches both', () => {
  const words = Array.from({ length: 127 }, (_, n) =>
    (n + 1).toString(2).slice(1).replaceAll('0', 'a').replaceAll('1', 'b'),
  )
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(glob, glob, (a, b) => {
      const [one, other] = [compilePattern(`mcp:s/${a}`), compilePattern(`mcp:s/${b}`)]
      const isMatched = words.some((word) => matches(one, `mcp:s/${word}`) && matches(other, `mcp:s/${word}`))
      expect(overlaps(one, other)).toBe(isMatched)
      expect(overlaps(compilePattern(`mcp:${a}/s`), compilePattern(`mcp:${b}/s`))).toBe(isMatched)
    }),
    { numRuns: 1000 },
  )
  expect(overlaps(compilePattern('*'), compilePattern('fn:a/b'))).toBe(true)
  expect(overlaps(compilePattern('mcp:a/*'), compilePattern('fn:a/*'))).toBe(false)
})
