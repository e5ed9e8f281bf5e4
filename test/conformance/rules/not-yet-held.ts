import type { PendingRule } from '../rule.ts'

export const notYetHeld: PendingRule[] = [
  { id: 'platforms.list.1', says: 'GET /platforms lists the tenant’s connections with their sync health.' },
  { id: 'platforms.list.2', says: 'It takes the Pro plan or higher: 402 otherwise.' },
  { id: 'platforms.list.3', says: 'The stored secret is never returned, only has_auth_secret.' },
  {
    id: 'binding.3b',
    says: 'A bound key’s reports, report schedules and red-team campaigns are placed in its environment.',
  },
  { id: 'binding.4', says: 'Organization-wide reports, usage, platforms and credentials are 403 for a bound key.' },
  { id: 'coverage.findings.1', says: 'Coverage findings open and close by themselves with the evidence.' },
]
