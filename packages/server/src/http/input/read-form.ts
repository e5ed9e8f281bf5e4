import { invalid } from '../../refusal.ts'

/**
 * Maximum number of fields. The forms of the server's web pages have at most three fields. A browser or an identity provider
 * may add a few.
 */
const maxFields = 20

/**
 * Reads the fields of a form body. If a field name occurs more than once, the last value is used. Throws 400, before parsing,
 * for more than 20 fields.
 */
export function readForm(bytes: Buffer): Record<string, string> {
  let separators = 0
  for (let at = bytes.indexOf('&'); at !== -1; at = bytes.indexOf('&', at + 1)) {
    if (++separators >= maxFields) throw invalid(`body must have at most ${maxFields} fields`)
  }
  return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
}
