// Apart from the schemas, because the command line names these words in its help and must start fast.

export const findingTypes = [
  'policy_drift_unapproved',
  'coverage_gap',
  'evidence_stale',
  'unapproved_running',
  'approval_without_record',
  'decision_gap',
  'tool_definition_changed',
] as const

/** The severities of findings, the lowest first. */
export const severities = ['low', 'medium', 'high', 'critical'] as const

export const timelineTypes = [
  'lifecycle',
  'suspension',
  'freeze',
  'policy',
  'version',
  'approval',
  'review',
  'drift',
  'finding',
  'key',
] as const
