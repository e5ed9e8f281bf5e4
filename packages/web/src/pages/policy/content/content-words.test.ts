import { expect, it } from 'vitest'
import { actionText, bindingName, setSummary } from './content-words.ts'

it('names what is bound, and what happens', () => {
  const patterns = [{ id: 'p', name: 'Project name' }]
  expect(bindingName({ group: 'secrets', on: 'results', action: 'redact' }, patterns)).toBe('Group secrets')
  expect(bindingName({ pattern_id: 'p', on: 'results', action: 'deny' }, patterns)).toBe('Project name')
  expect(bindingName({ pattern_id: 'gone', on: 'results', action: 'deny' }, patterns)).toBe(
    'a pattern that was deleted',
  )
  expect(actionText({ group: 'x', on: 'results', action: 'label', label: 'saw' })).toBe('Label the session: saw')
})

it('says what a version changed', () => {
  const binding = { group: 'x', on: 'results', action: 'flag' } as const
  const text = setSummary({
    added: [binding, binding],
    removed: [binding],
    patterns: [{ id: 'p', name: 'P', change: 'changed' }],
  })
  expect(text.replaceAll('\u00a0', ' ')).toBe('2 bindings added, 1 binding removed, P changed')
  expect(setSummary({ added: [], removed: [], patterns: [] })).toBe('Nothing changed')
})
