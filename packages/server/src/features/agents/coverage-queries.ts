import { coverageJoins, coverageState } from '../../agent-state/coverage.ts'
import { bareOrNull, type JsonText, knownWord, list, object, word } from './json-text.ts'

/** Aliases of the evidence on an agent in the statements of this feature, and the time of the request. */
const evidence = { evidence: 'v', findings: 'f' }

export const evidenceJoins = coverageJoins({ agent: 'a', ...evidence })
export const coverageStateSql = coverageState({ ...evidence, now: 'q.now' })

/** The object that `execution_coverage` and the endpoint of that name hold. */
export const coverage: JsonText = object({
  state: word(coverageStateSql),
  attested: bareOrNull('v.attested_json'),
  observed: bareOrNull('v.observed_json'),
  findings: list('f.json'),
  computed_at: knownWord('now', 'q.now_text'),
})
