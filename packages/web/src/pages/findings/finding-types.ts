import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'

type FindingType = Schema<'Finding'>['type']

/** The types of findings, the most serious first, each with its usual severity in production. */
export const findingTypes: readonly { type: FindingType; look: StateLook }[] = [
  { type: 'policy_drift_unapproved', look: { glyph: 'sev4', word: 'Policy drift, not approved', tone: 'deny' } },
  { type: 'unapproved_running', look: { glyph: 'sev4', word: 'Runs without approval', tone: 'deny' } },
  { type: 'approval_without_record', look: { glyph: 'sev3', word: 'Approval without record', tone: 'deny' } },
  { type: 'decision_gap', look: { glyph: 'sev3', word: 'Decisions are missing', tone: 'deny' } },
  { type: 'tool_definition_changed', look: { glyph: 'sev3', word: 'Tool definition changed', tone: 'deny' } },
  { type: 'coverage_gap', look: { glyph: 'sev2', word: 'Coverage gap', tone: 'hold' } },
  { type: 'evidence_stale', look: { glyph: 'sev1', word: 'Evidence is stale', tone: 'off' } },
]

/** The words for a type of findings. A type of a later version has its own name in words. */
export const findingName = (type: string): string =>
  findingTypes.find((each) => each.type === type)?.look.word ?? type.replaceAll('_', ' ')
