import type { PendingRule } from '../rule.ts'

export const notYetHeld: PendingRule[] = [
  {
    id: 'binding.3b',
    says: 'A bound key’s reports, report schedules and red-team campaigns are placed in its environment.',
  },
  { id: 'binding.4', says: 'Organization-wide reports, usage and credentials are 403 for a bound key.' },
  { id: 'coverage.findings.1', says: 'Coverage findings open and close by themselves with the evidence.' },
]
