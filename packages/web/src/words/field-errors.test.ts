import { MandateError } from '@mandate/sdk'
import { expect, test } from 'vitest'
import { errorOfOnlyField } from './field-errors.ts'

test('an error is shown at the only field of a form if the server refused what was typed', () => {
  const errorWith = (status: number) => new MandateError('no', { status })
  expect(errorOfOnlyField(errorWith(400))).toEqual({ of: 'no' })
  for (const status of [0, 429, 503]) expect(errorOfOnlyField(errorWith(status))).toEqual({ rest: 'no' })
  expect(errorOfOnlyField(null)).toEqual({})
})
