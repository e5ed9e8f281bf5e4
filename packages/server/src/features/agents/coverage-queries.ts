import { coverageState } from './coverage-state.ts'
import { bareOrNull, type JsonText, knownWord, list, object, word } from './json-text.ts'

/** The object that `execution_coverage` and the endpoint of that name hold. */
export const coverage: JsonText = object({
  state: word(coverageState),
  attested: bareOrNull('v.attested_json'),
  observed: bareOrNull('v.observed_json'),
  findings: list('f.json'),
  computed_at: knownWord('now', 'q.now_text'),
})
