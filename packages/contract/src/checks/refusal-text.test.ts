import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeIssue } from './refusal-text.ts'

test.each([
  [z.int().min(1), 0, 'seq must be at least 1'],
  [z.int().max(5), 6, 'seq must be at most 5'],
  [z.int(), 2 ** 53, `seq must be at most ${Number.MAX_SAFE_INTEGER}`],
  [z.number().positive(), 0, 'seq must be above 0'],
  [z.array(z.int()).max(1), [1, 2], 'seq must have at most 1 item'],
  [z.array(z.int()).min(2), [], 'seq must have at least 2 items'],
  [z.string().min(1), '', 'seq must have at least 1 character'],
  [z.string().min(2), 'a', 'seq must have at least 2 characters'],
  [z.string().max(1), 'ab', 'seq must have at most 1 character'],
  [z.string().min(1, 'must not be empty'), '', 'seq must not be empty'],
  [z.string().max(1, 'must be a letter'), 'ab', 'seq must be a letter'],
])('says which values, or how many items or characters, a field may have', (schema, seq, text) => {
  const { error } = z.object({ seq: schema as z.ZodType }).safeParse({ seq }, { reportInput: true })
  expect(describeIssue(error!.issues, 'body')).toBe(text)
})
