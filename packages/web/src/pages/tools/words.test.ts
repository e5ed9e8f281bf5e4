import { expect, test } from 'vitest'
import { clausesOf, fineOf, hasUnpinned, typesOf, whyLook } from './words.ts'

const facets = (state: Record<string, number>, warning: Record<string, number> = {}) => {
  const of = (counts: Record<string, number>) =>
    Object.entries(counts).map(([key, count]) => ({ key, name: key, count }))
  const total = Object.values(state).reduce((sum, count) => sum + count, 0)
  return { total, is_whole: true, state: of(state), warning: of(warning), server: [], label: [], environment_id: [] }
}

test('names what changed first, then hidden characters, blocked tools and tools without a pin', () => {
  const all = facets({ changed: 1, blocked: 2, new: 3, pinned: 4 }, { hidden_characters: 1 })
  expect(clausesOf(all).map(({ text, search }) => [text.replaceAll('\u{a0}', ' '), search])).toEqual([
    ['1 tool changed after it was pinned', { state: 'changed' }],
    ['1 tool has hidden characters', { warning: 'hidden_characters' }],
    ['2 tools are blocked', { state: 'blocked' }],
  ])
  expect(fineOf(all)).toBe('4\u{a0}tools run as pinned.')
})

test('a sentence begins with a capital letter', () => {
  expect(clausesOf(facets({ new: 1 })).map(({ text }) => text)).toEqual(['1\u{a0}tool is not pinned'])
})

test('says so if no tool is known, and if all are pinned', () => {
  expect([clausesOf(facets({})), fineOf(facets({}))]).toEqual([[], 'No tool is known.'])
  expect([clausesOf(facets({ pinned: 2 })), fineOf(facets({ pinned: 2 }))]).toEqual([
    [],
    '2\u{a0}tools are known and pinned.',
  ])
  expect(fineOf(facets({ new: 2 }))).toBeUndefined()
})

test('lists each type of warning once, the most serious first', () => {
  const warning = (type: 'contains_url' | 'hidden_characters') => ({ type, where: 'description', detail: '' })
  expect(typesOf([warning('contains_url'), warning('hidden_characters'), warning('contains_url')])).toEqual([
    'hidden_characters',
    'contains_url',
  ])
})

test('only a latest definition without a pin can be pinned', () => {
  expect(hasUnpinned({ latest_hash: 'b', pinned_hashes: ['a'] })).toBe(true)
  expect(hasUnpinned({ latest_hash: 'b', pinned_hashes: ['a', 'b'] })).toBe(false)
})

test.each([
  ['new', [], [], undefined],
  ['new', [], ['contains_url', 'unannotated'], undefined],
  ['new', [], ['contains_url', 'instruction_like'], 'The automatic checks found: Reads like an instruction.'],
  ['blocked', [], ['hidden_characters'], 'The automatic checks found: Hidden characters.'],
  ['blocked', ['a'], [], 'Another definition is pinned.'],
  ['changed', ['a'], [], 'Another definition is pinned.'],
] as const)('a person looks at a %s tool with the pins %j and the warnings %j: %s', (state, pins, types, why) => {
  const warnings = types.map((type) => ({ type, where: 'description', detail: '' }))
  const tool = { state, pinned_hashes: [...pins], warnings }
  expect(whyLook(tool)).toBe(why)
})
