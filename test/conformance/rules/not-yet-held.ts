import type { PendingRule } from '../rule.ts'

export const notYetHeld: PendingRule[] = [
  { id: 'platforms.list.1', says: 'GET /platforms lists the tenant’s connections with their sync health.' },
  { id: 'platforms.list.2', says: 'It takes the Pro plan or higher: 402 otherwise.' },
  { id: 'platforms.list.3', says: 'The stored secret is never returned, only has_auth_secret.' },
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
  { id: 'binding.4b', says: 'Changing a platform is 403 for a bound key; so would usage and credentials be.' },
  { id: 'binding.6g', says: 'A bound key resolves no review assigned to owners.' },
  { id: 'coverage.findings.1', says: 'Coverage findings open and close by themselves with the evidence.' },
]
