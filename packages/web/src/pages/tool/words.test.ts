import { expect, test } from 'vitest'
import { clausesOf, differenceWords } from './words.ts'

test.each([
  ['description', 'changed', 'The description changed'],
  ['title', 'added', 'The title was added'],
  ['annotations', 'removed', 'The annotations were removed'],
  ['annotations/readOnlyHint', 'changed', 'The annotation readOnlyHint changed'],
  ['input_schema/properties/path', 'added', 'The argument path was added'],
  ['input_schema/properties/path/description', 'changed', 'The description of the argument path changed'],
  ['input_schema/properties/path/enum/0', 'changed', 'The field enum/0 of the argument path changed'],
  ['input_schema/required/1', 'removed', 'The field required/1 of the input schema was removed'],
  ['output_schema', 'added', 'The output schema was added'],
] as const)('%s, %s', (path, change, words) => {
  expect(differenceWords({ path, change })).toBe(words)
})

test('says what edges do with a tool that is not as pinned, by the pinning of its environment', () => {
  const fine = (state: 'new' | 'changed', pinning: 'off' | 'alert' | 'enforce') => clausesOf({ state }, pinning).fine
  expect(fine('new', 'enforce')).toBe('Edges hide it and deny its calls.')
  expect(fine('changed', 'enforce')).toContain('where the server declares this definition')
  expect(fine('changed', 'alert')).toContain('finding')
  expect(fine('new', 'alert')).toBe('Edges decide its calls by policy.')
  expect(fine('new', 'off')).toContain('no tool pinning')
})

test('a blocked tool is denied, and a pinned one needs nobody', () => {
  expect(clausesOf({ state: 'blocked' }, 'off').wrong).toEqual([{ text: 'It is blocked: edges deny every call' }])
  expect(clausesOf({ state: 'pinned' }, 'alert').wrong).toEqual([])
})
