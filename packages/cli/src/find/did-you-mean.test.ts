import fc from 'fast-check'
import { expect, test } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

const known = ['development', 'staging', 'production', 'agents:read', 'agents:write']

test.each([
  ['devlopment', 'did you mean development?'],
  ['Stagign', 'did you mean staging?'],
  ['prodction', 'did you mean production?'],
  ['agent:read', 'did you mean agents:read?'],
  ['qa', undefined],
  ['', undefined],
])('suggests for %j: %s', (word, suggestion) => expect(didYouMean(word, known)).toBe(suggestion))

test('names several words that are equally close', () => {
  expect(didYouMean('team-c', ['team-b', 'team-a'])).toBe('did you mean one of team-a, team-b?')
})

test('suggests a word of at least six letters after any single edit', () => {
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz-')
  fc.assert(
    fc.property(fc.string({ unit: letter, minLength: 6, maxLength: 40 }), fc.nat(), letter, (word, place, added) => {
      const at = place % word.length
      for (const rest of [word.slice(at), word.slice(at + 1)]) {
        expect(didYouMean(word.slice(0, at) + added + rest, [word, 'x'.repeat(80)])).toBe(`did you mean ${word}?`)
      }
    }),
  )
})
