import type { Schema } from '@mandate/sdk'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { counted } from '../../words/words.ts'
import { findingTypes } from './finding-types.ts'

const most = 10_000

/** What findings of each type say about agents. */
const clauseOfType: Record<FindingType, (count: number) => string> = {
  policy_drift_unapproved: (count) =>
    counted(count, '# agent runs a policy that nobody approved', '# agents run policies that nobody approved', most),
  unapproved_running: (count) => counted(count, '# agent runs without approval', '# agents run without approval', most),
  approval_without_record: (count) =>
    counted(count, '# agent was approved without a review', '# agents were approved without a review', most),
  decision_gap: (count) =>
    counted(count, 'Decisions of # agent are missing', 'Decisions of # agents are missing', most),
  tool_definition_changed: (count) =>
    counted(count, '# agent can call a tool that changed', '# agents can call a tool that changed', most),
  coverage_gap: (count) => counted(count, '# agent can act past its edge', '# agents can act past their edges', most),
  evidence_stale: (count) =>
    counted(count, 'The evidence of # agent is stale', 'The evidence of # agents is stale', most),
}

/** Says how many findings are open, and which type is the most serious. */
type FindingType = Schema<'Finding'>['type']

export function clausesOf({ findings, findings_total: total }: Schema<'Overview'>): Clause[] {
  if (total === 0) return [{ text: 'No finding is open' }]
  const open: Clause = {
    text: counted(total, '# finding is open', '# findings are open', most),
    to: '/findings',
    search: { status: 'open' },
  }
  const worst = findingTypes.find(({ type }) => findings[type] > 0)
  if (!worst || findings[worst.type] === total)
    return [{ ...open, tone: worst?.look.tone === 'deny' ? 'deny' : 'hold' }]
  const clause: Clause = {
    text: clauseOfType[worst.type](findings[worst.type]),
    to: '/findings',
    search: { status: 'open', type: worst.type },
    tone: worst.look.tone === 'deny' ? 'deny' : 'hold',
  }
  return [open, clause]
}
