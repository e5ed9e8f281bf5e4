import { coverageJoins, coverageState } from '../../agent-state/coverage.ts'
import { bareOrNull, type JsonText, knownWord, list, object, word } from './json-text.ts'

/** Table aliases of an agent's evidence and findings in the statements of this feature. */
const evidence = { evidence: 'v', findings: 'f' }

export const evidenceJoins = coverageJoins({ agent: 'a', ...evidence })
export const coverageStateSql = coverageState({ ...evidence, now: 'q.now' })

/** The object in the field `execution_coverage` and in the response of `getExecutionCoverage`. */
export const coverage: JsonText = object({
  state: word(coverageStateSql),
  attested: bareOrNull('v.attested_json'),
  observed: bareOrNull('v.observed_json'),
  findings: list('f.json'),
  computed_at: knownWord('now', 'q.now_text'),
})
