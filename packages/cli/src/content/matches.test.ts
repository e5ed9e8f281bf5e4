import { createClient } from '@mandate/sdk/client'
import { serve } from '@mandate/sdk/testing/serve'
import { expect, it } from 'vitest'
import { matchesText, patternNames } from './matches.ts'

const id = 'c0de0000-0000-4000-8000-000000000103'
const match = { pattern_id: id, on: 'arguments', count: 2, action: 'redact' } as const

it('names the pattern, the side, the number and the action of each match', () => {
  const matches = [match, { ...match, pattern_id: 'other', on: 'results', count: 1, action: 'deny' } as const]
  const text = matchesText(matches, new Map([[id, 'AWS access key id']]))
  expect(text).toBe('AWS access key id (2 in arguments, redact), other (1 in results, deny)')
})

it('names a pattern by its id if the key may not read patterns', async () => {
  const { url } = await serve(() => ({ status: 403, body: { error: 'API key scope does not permit this operation' } }))
  expect(matchesText([match], await patternNames(createClient({ url }), [match], {}))).toBe(
    `${id} (2 in arguments, redact)`,
  )
})
