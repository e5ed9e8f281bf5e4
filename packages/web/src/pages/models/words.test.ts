import { expect, test } from 'vitest'
import { clausesOf, fineOf, stateOf } from './words.ts'

const model = (declared: number, observed: number) => ({
  ...{ model: 'large', agents: 1, calls_30d: 0, first_seen_at: null, last_seen_at: null },
  declared,
  observed,
})

test('names the models that agents use and no record names', () => {
  expect(clausesOf([model(1, 1), model(0, 2), model(0, 0)])).toEqual([
    { text: 'Agents use 1\u{a0}model that no record names' },
  ])
  expect(clausesOf([model(1, 0)])).toEqual([])
})

test('says in words whether a model is declared and used', () => {
  expect([model(1, 1), model(1, 0), model(0, 1)].map((one) => stateOf(one).word)).toEqual([
    'Declared and used',
    'Declared, not seen',
    'Used, not declared',
  ])
})

test('counts the models', () => {
  expect([fineOf(0), fineOf(1), fineOf(2)]).toEqual([
    'No agent declares or uses a model.',
    '1\u{a0}model is known.',
    '2\u{a0}models are known.',
  ])
})
