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
])('says which values or how many items a field may have', (schema, seq, text) => {
  const { error } = z.object({ seq: schema as z.ZodType }).safeParse({ seq }, { reportInput: true })
  expect(describeIssue(error!.issues, 'body')).toBe(text)
})
