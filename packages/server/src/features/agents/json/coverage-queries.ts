import { coverageJoins, coverageState } from '../../../agent-state/coverage.ts'
import { bareOrNull, type JsonText, knownWord, list, object, word } from './json-text.ts'

/** SQL table aliases: `v` is the agent's evidence (what its edge reported), and `f` is its open findings. */
const evidence = { evidence: 'v', findings: 'f' }

export const evidenceJoins = coverageJoins({ agent: 'a', ...evidence })
export const coverageStateSql = coverageState({ ...evidence, now: 'q.now' })

/** The JSON object for the field `execution_coverage` of an agent, which is also the response of `getExecutionCoverage`. */
export const coverage: JsonText = object({
  state: word(coverageStateSql),
  attested: bareOrNull('v.attested_json'),
  observed: bareOrNull('v.observed_json'),
  findings: list('f.json'),
  computed_at: knownWord('now', 'q.now_text'),
})
