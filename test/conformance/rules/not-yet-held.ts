import type { PendingRule } from '../rule.ts'

export const notYetHeld: PendingRule[] = [
  { id: 'coverage.findings.1', says: 'Coverage findings open and close by themselves with the evidence.' },
]
