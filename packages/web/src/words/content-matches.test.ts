import { expect, it } from 'vitest'
import { matchText } from './content-matches.ts'

const id = 'c0de0000-0000-4000-8000-000000000103'
const match = { pattern_id: id, on: 'arguments', count: 2, action: 'require_approval' } as const

it.each([
  [
    'names the pattern, the number, the side and the action',
    match,
    'AWS access key id: 2 in the arguments, ask a person',
  ],
  [
    'names the result',
    { ...match, on: 'results', count: 1_200, action: 'redact' } as const,
    'AWS access key id: 1,200 in the result, redact',
  ],
  [
    'has the id of a deleted pattern',
    { ...match, pattern_id: 'gone' },
    'Pattern gone: 2 in the arguments, ask a person',
  ],
  [
    'says that a value could not be inspected',
    { ...match, pattern_id: 'c0de0000-0000-4000-8000-000000000000', count: 1, action: 'deny' } as const,
    'A value that could not be inspected: 1 in the arguments, deny',
  ],
])('%s', (_, one, text) => expect(matchText(one, [{ id, name: 'AWS access key id' }])).toBe(text))
