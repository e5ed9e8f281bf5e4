import { coverageState } from './coverage-state.ts'
import { bareOrNull, type JsonText, object, word } from './json-text.ts'

/** The object that `execution_coverage` and the endpoint of that name hold. */
export const coverage: JsonText = object({
  state: word(coverageState),
  attested: bareOrNull('v.attested_json'),
  observed: bareOrNull('v.observed_json'),
  findings: [{ literal: '[' }, { sql: 'f.json' }, { literal: ']' }],
  computed_at: word('q.now_text'),
})
