import { MandateError } from '@mandate/sdk/mandate-error'
import { expect, test } from 'vitest'
import { explain } from './explain-error.ts'

test.each([
  ['API key scope does not permit this operation', 'the key’s scopes or its creator’s role do not allow this'],
  ['your user is read-only and cannot make changes; only an owner can remove this', undefined],
])('gives a hint about scopes and roles only where they are the reason: %s', (message, hint) => {
  expect(explain(new MandateError(message, { status: 403 }), true)).toEqual({ message, hint, exitCode: 1 })
})
