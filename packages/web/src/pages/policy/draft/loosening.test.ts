import { expect, it } from 'vitest'
import { looseningOf } from './loosening.ts'

type Replay = Parameters<typeof looseningOf>[0]
const row = { allow: 0, deny: 0, require_approval: 0, depends: 0 }

function replay(change_class: Replay['change_class'], matrix: Partial<Replay['matrix']> = {}, undecidable = 0): Replay {
  const week = { from: '2026-11-16T14:00:00.000Z', to: '2026-11-23T14:31:00.000Z' }
  return {
    ...week,
    change_class,
    matrix: { allow: row, deny: row, require_approval: row, ...matrix },
    undecidable,
  } as Replay
}

const sentencesOf = (of: Replay) => looseningOf(of)?.map((text) => text.replaceAll('\u00a0', ' '))

it('names the recorded calls that a looser save would decide more freely', () => {
  const matrix = { deny: { ...row, allow: 12, require_approval: 1 }, require_approval: { ...row, allow: 2 } }
  expect(sentencesOf(replay('loosens', matrix, 3))).toEqual([
    '12 recorded calls that were denied would be allowed.',
    '2 recorded calls that were held for a person would be allowed.',
    '1 recorded call that was denied would wait for a person.',
    '3 recorded calls depend on what is not recorded.',
  ])
})

it('says that a looser save may free calls that nobody made', () => {
  expect(sentencesOf(replay('loosens'))).toEqual([
    'No recorded call of the last 7 days would change, but other calls could.',
  ])
})

it.each(['tightens', 'neutral', 'mixed'] as const)('finds nothing to ask about a save that is %s', (is) => {
  expect(looseningOf(replay(is, { allow: { ...row, deny: 3 } }))).toBeUndefined()
})

it('asks about a save of which nothing is proven, if it frees a recorded call', () => {
  expect(looseningOf(replay('mixed', { deny: { ...row, allow: 1 } }))).toHaveLength(1)
})
