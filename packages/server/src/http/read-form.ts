import { invalid } from '../refusal.ts'

/** The forms of the interface have three fields at most; a browser or an identity provider may add a few of its own. */
const maxFields = 20

/** The fields of a form body; of fields with one name the last. @throws 400 for more than 20 fields, before anything is parsed */
export function readForm(bytes: Buffer): Record<string, string> {
  let separators = 0
  for (let at = bytes.indexOf('&'); at !== -1; at = bytes.indexOf('&', at + 1)) {
    if (++separators >= maxFields) throw invalid(`body must have at most ${maxFields} fields`)
  }
  return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
}
