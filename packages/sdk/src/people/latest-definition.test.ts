import { expect, test } from 'vitest'
import { doubtOfLatest } from './latest-definition.ts'

const declared = (hash: string, by_edge = true, pinned = false) => ({ hash, by_edge, pinned })
const tool = (declared_hashes: object[], ...definitions: string[]) =>
  ({ latest_hash: 'new', declared_hashes, definitions: definitions.map((hash) => ({ hash })) }) as never

test.each([
  ['an edge declares it', tool([declared('new')], 'new', 'old')],
  ['the other declared definition is pinned', tool([declared('old', true, true), declared('new')], 'new', 'old')],
  ['it is the only definition, also if only an agent declares it', tool([declared('new', false)], 'new')],
  ['it is the only definition, and nobody declared it lately', tool([], 'new')],
])('the latest definition is the one that a person means if %s', (_, given) => {
  expect(doubtOfLatest(given)).toBeUndefined()
})

test('declarers that differ without a pin leave a doubt', () => {
  expect(doubtOfLatest(tool([declared('other'), declared('new')], 'new', 'other'))).toEqual({
    why: 'edges or agents declare different definitions of it',
    hashes: ['new', 'other'],
  })
})

test('the latest of several definitions that no edge declares leaves a doubt', () => {
  expect(doubtOfLatest(tool([declared('new', false)], 'new', 'old'))).toMatchObject({ hashes: ['new', 'old'] })
  expect(doubtOfLatest(tool([], 'new', 'old'))?.why).toContain('no edge declared the latest one')
})
