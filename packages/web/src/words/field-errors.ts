import { MandateError } from '@mandate/sdk'
import { numberOf } from './words.ts'

/** Says that a text is too long for its field. Undefined if it is not. */
export const tooLong = (text: string, most: number | undefined): string | undefined =>
  most === undefined || text.length <= most
    ? undefined
    : `At most ${numberOf(most)} characters; this has ${numberOf(text.length)}.`

/**
 * Finds the field that an error of the server names: its text begins with the name of the field, perhaps after "the". Returns the text at its field, or as `rest`.
 * Names in the path of a field, as in `rules[0].match.tools`, are looked up by their beginning.
 */
export function errorOfField<F extends string>(error: Error | undefined | null, fields: readonly F[]) {
  const of: Partial<Record<F, string>> = {}
  if (!error) return { of, rest: undefined }
  const named = fields.find((field) => new RegExp(`^(body\\.|the )?${field}\\b`, 'i').test(error.message))
  if (named === undefined) return { of, rest: error.message }
  of[named] = error.message
  return { of, rest: undefined }
}

/** The refusals that are about what the reader typed. */
const aboutInput = [400, 403, 409]

/** Where a form with one field shows an error: at the field if the server refused what was typed, otherwise as an error of the form. */
export function errorOfOnlyField(error: Error | undefined | null): { of?: string; rest?: string } {
  if (!error) return {}
  const isOfField = error instanceof MandateError && aboutInput.includes(error.status)
  return isOfField ? { of: error.message } : { rest: error.message }
}
