import { expect, it } from 'vitest'
import { filtersOf } from './filters.ts'

const empty = { state: [], warning: [], server: [], label: [], environment_id: [], total: 12, is_whole: true }
const state = [
  { key: 'pinned', name: 'pinned', count: 12 },
  { key: 'blocked', name: 'blocked', count: 10_000 },
]

it('a filter says how many tools have a value, with a plus sign if not all tools were counted', () => {
  const notesOf = (is_whole: boolean) =>
    filtersOf({}, { ...empty, state, is_whole }, undefined)[0]?.options.map(({ text, note }) => [text, note])
  expect(notesOf(true)).toEqual([
    ['Pinned', '12'],
    ['Blocked', '10,000+'],
  ])
  expect(notesOf(false)?.[0]).toEqual(['Pinned', '12+'])
})

it('a value that no tool of the list has keeps its name', () => {
  const environment_id = [{ key: 'e1', name: 'production', count: 3 }]
  const filters = filtersOf({ environment_id: 'e1' }, empty, { ...empty, environment_id })
  expect(filters.find(({ name }) => name === 'environment_id')?.options).toEqual([
    { value: 'e1', text: 'production', note: '0' },
  ])
})
