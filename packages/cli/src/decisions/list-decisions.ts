import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { type ListOptions, showList } from '../output/show.ts'
import type { Column } from '../output/table.ts'
import { type DecisionFilterOptions, decisionQuery } from './decision-filters.ts'

interface Options extends ListOptions, DecisionFilterOptions {
  approval?: string
  session?: string
}

/** Lists decisions, newest first. */
export async function listDecisions({
  limit,
  json,
  output,
  query,
  approval,
  session,
  ...filters
}: Options): Promise<void> {
  const { client } = await connect()
  const decisions = eachOf(client, 'listDecisions', {
    query: { ...(await decisionQuery(client, filters)), approval_id: approval, session_id: session },
  })
  await showList(decisions, { limit, json, output, query }, columns, 'No decisions match.')
}

type Decision = Schema<'Decision'>

export const effectColor = (effect: Decision['effect']) =>
  (({ allow: undefined, deny: 'red', require_approval: 'yellow' }) as const)[effect]

type Decided = Pick<Decision, 'effect' | 'approval_id' | 'rule' | 'policy' | 'denied_because'>

/** What decided a call: a person, the rule, the default effect, or why the edge denied it. */
export function whyText({ effect, approval_id: approval, rule, policy, denied_because: reason }: Decided): string {
  if (reason !== null && reason !== 'rule' && reason !== 'default_effect') return reason.replaceAll('_', ' ')
  if (effect === 'allow' && approval !== null) return 'approved by a person'
  if (rule) return `rule ${rule.name ?? rule.id}`
  return policy || reason ? 'default effect' : 'no policy'
}

export const policyText = (policy: Decision['policy']) =>
  policy && `${policy.name ?? policy.id}${policy.version === null ? '' : ` v${policy.version}`}`

const columns: Column<Decision>[] = [
  { title: 'AT (UTC)', value: ({ at }) => at.slice(0, 19).replace('T', ' ') },
  { title: 'AGENT', value: ({ agent }) => agent.name ?? agent.id },
  { title: 'TOOL', value: ({ tool }) => tool },
  { title: 'EFFECT', value: ({ effect }) => effect, color: ({ effect }) => effectColor(effect) },
  { title: 'MODE', value: ({ mode }) => mode },
  { title: 'WHY', value: (decision) => whyText(decision) },
  { title: 'POLICY', value: ({ policy }) => policyText(policy) },
  {
    title: 'INTEGRITY',
    value: ({ integrity }) => integrity,
    color: ({ integrity }) => (integrity === 'broken' ? 'red' : undefined),
  },
  { title: 'DECISION_ID', value: ({ decision_id }) => decision_id },
]
