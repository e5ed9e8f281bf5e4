import { compilePattern, matches } from '@mandate/policy/pattern'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expiryRefusal, parentRefusal, readTools, widerToolsRefusal } from './rules.ts'

const piece = fc.constantFrom('a', 'b', 'ab', 'a.b', '-')
const literal = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
const starred = fc.array(fc.oneof(piece, fc.constant('*')), { minLength: 1, maxLength: 3 }).map((all) => all.join(''))
const segment = fc.oneof(literal, starred).filter((text) => text.split('*').length <= 3)
const kind = fc.constantFrom('mcp', 'fn')
const pattern = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*') },
  { weight: 9, arbitrary: fc.tuple(kind, segment, segment).map(([of, one, other]) => `${of}:${one}/${other}`) },
)
const patterns = fc.array(pattern, { minLength: 1, maxLength: 4 })
const tool = fc.oneof(
  fc.tuple(kind, literal, literal).map(([of, one, other]) => `${of}:${one}/${other}`),
  fc.string({ maxLength: 10 }),
)
const matchesAny = (texts: readonly string[], name: string) => texts.some((text) => matches(compilePattern(text), name))
const refusalOf = (child: readonly string[], parent: readonly string[]) =>
  widerToolsRefusal(readTools(child), readTools(parent))

describe('the tools of a child', () => {
  it('are tools of its parent, whatever the patterns are', () => {
    let accepted = 0
    fc.assert(
      fc.property(patterns, patterns, fc.array(tool, { maxLength: 20 }), (child, parent, names) => {
        if (refusalOf(child, parent)) return
        accepted++
        for (const name of names) if (matchesAny(child, name)) expect(matchesAny(parent, name)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
    expect(accepted).toBeGreaterThan(100)
  })

  it('are never more further down: what a child may pass on, its parent may pass on too', () => {
    fc.assert(
      fc.property(patterns, patterns, patterns, (first, second, third) => {
        if (refusalOf(second, first) || refusalOf(third, second)) return
        expect(refusalOf(third, first)).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })

  it('may be those of the parent, in any order and repeated', () => {
    fc.assert(
      fc.property(patterns, (parent) => {
        expect(refusalOf([...parent, ...parent].toReversed(), parent)).toBeUndefined()
      }),
    )
  })

  it('must each be covered by one pattern: two patterns together do not count', () => {
    expect(refusalOf(['mcp:a/*'], ['mcp:a/a*', 'mcp:a/*'])).toBeUndefined()
    expect(refusalOf(['mcp:*/b'], ['mcp:a*/b', 'mcp:b*/b'])?.message).toContain('mcp:*/b is not covered')
  })
})

it('takes an expiry after now, and at most 24 hours ahead', () => {
  const now = '2026-03-02T08:00:00.000Z'
  expect(expiryRefusal('2026-03-02T08:00:00.001Z', now)).toBeUndefined()
  expect(expiryRefusal('2026-03-03T08:00:00.000Z', now)).toBeUndefined()
  for (const at of [now, '2026-03-02T07:59:59.999Z', '2026-03-03T08:00:00.001Z'])
    expect(expiryRefusal(at, now)).toMatchObject({ status: 400 })
})

it('passes on what is active and less than five deep', () => {
  const parent = { expires_at: '' }
  expect(parentRefusal({ ...parent, state: 'active', depth: 4 })).toBeUndefined()
  expect(parentRefusal({ ...parent, state: 'active', depth: 5 })).toMatchObject({ status: 409 })
  expect(parentRefusal({ ...parent, state: 'ended', depth: 1 })?.message).toBe('the parent has ended')
  expect(parentRefusal({ ...parent, state: 'expired', depth: 1 })?.message).toBe('the parent has expired')
})
