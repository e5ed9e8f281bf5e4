import type { PendingRule } from '../rule.ts'

export const notYetHeld: PendingRule[] = []
