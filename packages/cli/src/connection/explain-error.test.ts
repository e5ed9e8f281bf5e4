import { MandateError } from '@mandate/sdk/mandate-error'
import { expect, test } from 'vitest'
import { explain } from './explain-error.ts'

test.each([
  ['API key scope does not permit this operation', 'the key’s scopes or its creator’s role do not allow this'],
  ['your user is read-only and cannot make changes; only an owner can remove this', undefined],
])('gives a hint about scopes and roles only where they are the reason: %s', (message, hint) => {
  expect(explain(new MandateError(message, { status: 403 }), true)).toEqual({ message, hint, exitCode: 1 })
})

test.each([400, 401, 403, 404, 502, 503])('says that a page with status %i is not from Mandate', (status) => {
  const page = explain(new MandateError('m', { status, body: '<h1>Bad gateway</h1>' }), true)
  expect(page.hint).toContain('the answer is not from Mandate')
  for (const body of ['', ' ', { error: 'm' }])
    expect(explain(new MandateError('m', { status, body }), true).hint ?? '').not.toContain('not from Mandate')
})

test('names what to do if the address redirects', () => {
  const error = new MandateError('http://m cannot be reached (it redirects to https://m/)', { status: 0 })
  expect(explain(error, true).hint).toBe('use the address that it redirects to, if it is that of Mandate')
})
