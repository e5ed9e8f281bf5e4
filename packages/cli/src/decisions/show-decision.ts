import type { Schema } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import { matchesText, patternNames } from '../content/matches.ts'
import type { OutputOptions } from '../output/format.ts'
import { showOne } from '../output/show.ts'
import { policyText, whyText } from './list-decisions.ts'

/** Shows a decision. */
export async function showDecision(decision_id: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const decision = await client.call('getDecision', { path: { decision_id } })
  const nameOf = await patternNames(client, decision.content ?? [], options)
  showOne(decision, options, [
    { title: 'Decision', value: (one) => one.decision_id },
    { title: 'Decided', value: ({ at }) => at },
    { title: 'Received', value: ({ received_at }) => received_at },
    { title: 'Agent', value: ({ agent }) => agent.name ?? agent.id },
    { title: 'Edge', value: ({ edge }) => (edge ? (edge.name ?? edge.id) : 'an edge with the key of the agent') },
    { title: 'Tool', value: ({ tool }) => tool },
    { title: 'Effect', value: ({ effect, mode }) => (mode === 'monitor' ? `${effect}, only monitored` : effect) },
    { title: 'Why', value: whyText },
    { title: 'Rule', value: ({ rule }) => rule && (rule.name ?? rule.id) },
    { title: 'Policy', value: ({ policy }) => policyText(policy) },
    { title: 'Arguments', value: (one) => one.args_digest && `digest ${one.args_digest}` },
    { title: 'Kept', value: ({ kept_arguments: kept }) => kept?.map(keptText).join(', ') },
    { title: 'Approval', value: (one) => one.approval_id },
    { title: 'Session', value: (one) => one.session_id },
    { title: 'Labels', value: ({ labels }) => labels?.join(', ') },
    { title: 'Content', value: ({ content }) => content && matchesText(content, nameOf) },
    { title: 'On behalf of', value: (one) => one.on_behalf_of },
    { title: 'Delegation', value: ({ chain }) => chain && chainText(chain) },
    { title: 'Integrity', value: ({ integrity }) => integrity },
    { title: 'Receipt', value: ({ receipt }) => receipt && receiptText(receipt) },
  ])
}

type Kept = NonNullable<Schema<'Decision'>['kept_arguments']>[number]

/** What the record has of an argument, such as `args.path = "/tmp"`. */
function keptText({ path, state, value, because }: Kept): string {
  if (state === 'value') return `${path} = ${JSON.stringify(value)}`
  return `${path} ${state === 'not_kept' ? `not kept (${because})` : state}`
}

function receiptText({ kid, seq, anchored_by }: NonNullable<Schema<'Decision'>['receipt']>): string {
  return `record ${seq} of key ${kid}, ${anchored_by === null ? 'no anchor yet' : `anchored by ${anchored_by}`}`
}

/** Who acts for whom, from the person who delegated to the agent that called. */
export function chainText(chain: NonNullable<Schema<'Decision'>['chain']>): string {
  return chain.map(({ name }, index) => (index === 0 ? `for ${name}` : `by ${name}`)).join(' → ')
}
