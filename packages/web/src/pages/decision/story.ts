import type { Schema } from '@mandate/sdk'
import { denialOf, stopOf } from '../../words/denials.ts'
import { duration } from '../../words/times.ts'
import { undecidedClause } from '../approvals/approval-state.ts'

export type Decision = Schema<'Decision'>
export type Approval = Schema<'Approval'>
export type Rule = Schema<'PolicyVersionDetail'>['snapshot']['rules'][number]

const did = { allow: 'allowed', deny: 'denied', require_approval: 'held' } as const
const would = { allow: 'allow', deny: 'deny', require_approval: 'hold' } as const

/** What happened, in clauses: who decided, and what a person did. */
export function storyOf(decision: Decision, approval: Approval | undefined): string[] {
  const { effect, mode, rule, policy } = decision
  // What a person decided is told with the approval.
  const denial = approval && decision.denied_because === 'rejected' ? undefined : denialOf(decision)
  if (denial && mode === 'enforce') return ['The edge denied this call', `because ${denial.clause}`]
  if (!rule && !policy && effect === 'deny')
    return ['The edge denied this call', 'because the agent had no policy in force or was stopped']
  const who = denial ? 'The edge' : rule ? 'A rule' : policy ? defaultOf(decision) : 'The edge'
  if (mode === 'monitor' && effect !== 'allow')
    return [`${who} would ${would[effect]} this call`, 'but it passed, because calls are only recorded']
  // The record of a call that a person judged has the effect of the judgement. A rule held it before.
  return approval ? [`${who} held this call`, approvalClause(approval)] : [`${who} ${did[effect]} this call`]
}

/** What decided a call of a policy without a rule. A call that content rules held has no rule either. */
const defaultOf = ({ effect, content }: Decision) =>
  effect === 'require_approval' && content?.length
    ? 'The default effect of the policy or a content rule'
    : 'The default effect of the policy'

/** What became of an approval. The agent repeats the call after the approval, so an approval may stay unused. */
function approvalClause(approval: Approval): string {
  const waited = waitedFor(approval)
  const after = waited === undefined ? '' : ` after ${waited}`
  if (approval.status === 'rejected') return `a person denied it${after}`
  if (approval.status === 'approved') return `a person approved it${after}, and the approval is not used`
  if (approval.status === 'consumed') return `a person approved it${after}`
  if (approval.status === 'pending') return 'nobody has decided yet'
  const stop = stopOf(approval)
  if (approval.resolved_at !== null)
    return `a person approved it${after}, and ${stop === undefined ? 'nobody used the approval in time' : `the approval ended because ${stop}`}`
  return stop === undefined ? undecidedClause(approval) : `its approval ended because ${stop}`
}

/** How long it took until a person decided. */
export function waitedFor({ requested_at: from, resolved_at: to }: Approval): string | undefined {
  if (to === null) return undefined
  const waited = Date.parse(to) - Date.parse(from)
  return waited < 1000 ? 'less than 1 s' : duration(waited)
}

/** What the receipt proves, as the last clause. The signed record has the id of an approval, but not who decided it or when. */
export function proofOf({ integrity, approval_id: approval }: Pick<Decision, 'integrity' | 'approval_id'>): string {
  if (integrity === 'unsigned') return 'no receipt proves it'
  if (integrity === 'broken') return 'the receipt is signed, but records before it are missing'
  return approval === null
    ? 'the receipt proves what the edge recorded'
    : 'the receipt proves what the edge recorded, with the id of the approval only'
}

/** The time that the edge took, in ms with one digit. */
export const tookText = (microseconds: number) => `${(microseconds / 1000).toFixed(1)} ms`
