import { expect, it } from 'vitest'
import { changesOf, conflictsOf, withoutSaved } from './changed-values.ts'

it('sends only what differs from what is stored', () => {
  expect(changesOf({ name: 'Norrvik', days: '800' }, { name: 'Norrvik Group' })).toEqual({ name: 'Norrvik Group' })
  expect(changesOf({ name: 'Norrvik', days: '800' }, { name: 'Norrvik' })).toEqual({})
})

it('compares lists and settings by their content', () => {
  const stored = { words: ['a', 'b'], config: { header: 'X-Key' } }
  expect(changesOf(stored, { words: ['a', 'b'], config: { header: 'X-Key' } })).toEqual({})
  expect(changesOf(stored, { words: ['a'], config: { header: 'X-Key' } })).toEqual({ words: ['a'] })
})

it('keeps what was typed while a save ran', () => {
  const typed = { name: 'Norrvik Group AB', days: '400' }
  expect(withoutSaved(typed, { name: 'Norrvik Group', days: '400' })).toEqual({ name: 'Norrvik Group AB' })
})

it('finds the fields that somebody else changed to another value', () => {
  const opened = { name: 'Desk', tools: ['a'], model: '' }
  const now = { name: 'Support', tools: ['a', 'b'], model: 'x' }
  expect(conflictsOf(opened, now, { tools: ['a', 'c'] })).toEqual({ tools: ['a', 'b'] })
  expect(conflictsOf(opened, now, { tools: ['a', 'b'] })).toEqual({})
  expect(conflictsOf(opened, opened, { name: 'Mine' })).toEqual({})
})

it('finds no conflict with the own values as the server stores them', () => {
  const opened = { name: 'Desk', labels: ['a'], metadata: {} }
  const typed = { name: ' Support ', labels: ['z', 'b', 'z'], metadata: { team: 'x', area: 'y' } }
  const stored = { name: 'Support', labels: ['b', 'z'], metadata: { area: 'y', team: 'x' } }
  expect(conflictsOf(opened, stored, typed)).toEqual({})
  expect(conflictsOf(opened, { ...stored, labels: ['b'] }, typed)).toEqual({ labels: ['b'] })
})

it('finds a field that somebody else took away', () => {
  const opened: { kind: string; words?: string[]; expression?: string } = { kind: 'words', words: ['a'] }
  const now = { kind: 'regex', expression: 'a+' }
  const conflicts = conflictsOf(opened, now, { kind: 'words', words: ['a', 'b'] })
  expect(Object.entries(conflicts)).toEqual([
    ['kind', 'regex'],
    ['words', undefined],
  ])
})
