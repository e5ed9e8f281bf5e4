import type { PendingRule } from '../rule.ts'

export const notYetHeld: PendingRule[] = [
  {
    id: 'drift.1',
    says: 'A review that approves or attests makes the policy version in force the approval of record.',
  },
  {
    id: 'drift.2',
    says: 'A heartbeat that reports another version than the approved one raises drift and its finding.',
  },
  { id: 'drift.3', says: 'Drift opens a change review.' },
  { id: 'drift.4', says: 'The change review approved, the running configuration becomes the approved one.' },
  { id: 'drift.5', says: 'The approved version restored, the finding closes on the next heartbeat.' },
  {
    id: 'events.5',
    says: 'policy_drift_unapproved is raised on an agent whose running version differs from the approved.',
  },
  {
    id: 'binding.3b',
    says: 'A bound key’s reports, report schedules and red-team campaigns are placed in its environment.',
  },
  { id: 'binding.4', says: 'Organization-wide reports, usage and credentials are 403 for a bound key.' },
  { id: 'binding.6g', says: 'A bound key resolves no review assigned to owners.' },
  { id: 'coverage.findings.1', says: 'Coverage findings open and close by themselves with the evidence.' },
]
