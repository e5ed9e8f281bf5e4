import type { ContentVerdict } from '@mandate/content/judge'
import type { KeptArguments } from '@mandate/contract/kept-arguments'
import type { DenialReason } from '@mandate/contract/words/denial-words'
import { contentHash } from '@mandate/proofs/canonical'
import type { ActiveProfile } from '../carry/read-profile.ts'
import type { Presented } from '../delegations/delegations.ts'
import type { Chain } from '../delegations/verified-delegation.ts'
import type { Decision, ToolCall } from '../guard/guard.ts'
import type { DecisionRecord } from '../report/spool.ts'
import type { Outcome } from './check-call.ts'
import type { PinnedCall } from './check-pins.ts'
import { newDecisionId } from './decision-id.ts'
import { recordable } from './recordable.ts'

/** What a decision was based on, for the records about the results of its call. */
export interface Basis {
  profile: ActiveProfile
  tool: string
  digest: string
  effect: Decision['verdict']
  mode: 'enforce' | 'monitor'
  call: PinnedCall
  /** Why pins or a block deny the call, as a word. Null if they do not. Monitor mode lets some such calls pass. */
  refusedBecause: DenialReason | null
  /** The key of the session. */
  session: string
  /** The delegation under which the agent acts. Null without one. */
  delegation: Presented | null
  /** What the rules asked about the session and the inventory, after the call gave its own labels to the session. */
  asked: string
  /** Takes back what the call has used: uses of rules with limits, and its approval. */
  withdraw: () => void
  /** The labels of the tool when the call was decided. */
  toolLabels: ReadonlySet<string>
}

interface DecidedCall {
  decisionId: string
  agentId: string
  durationUs: number
  /** The labels of the session when the call was decided. */
  labels: readonly string[]
  /** Who acts for whom. Undefined without a delegation. */
  chain?: Chain | undefined
  /** What is kept of the arguments. Null if nothing is. */
  kept: KeptArguments | null
}

const longestDurationUs = 86_400_000_000

/** The keys of a record are in alphabetical order, because the spool then writes its canonical form faster. */
export function recordOf(
  { decisionId, agentId, durationUs, labels, chain, kept }: DecidedCall,
  { sessionId, onBehalfOf }: ToolCall,
  { tool, digest, effect, mode, rule, deniedBecause, profile, approval, content = [] }: Outcome,
): DecisionRecord {
  return {
    agent_id: agentId,
    ...(approval && { approval_id: approval.approvalId }),
    args_digest: digest ?? '',
    at: new Date().toISOString(),
    ...(chain && { chain: [...chain] }),
    ...(content.length > 0 && { content }),
    ...versionOf(profile),
    decision_id: decisionId,
    ...(deniedBecause && { denied_because: deniedBecause }),
    duration_us: Math.min(durationUs, longestDurationUs),
    effect,
    ...(kept && { kept_digest: contentHash(kept) }),
    ...(labels.length > 0 && { labels: [...labels] }),
    mode,
    ...(onBehalfOf !== undefined && { on_behalf_of: onBehalfOf }),
    ...(profile?.policyId != null && { policy_hash: profile.policyHash, policy_id: profile.policyId }),
    policy_version: profile?.policyVersion ?? null,
    ...(profile && { profile: { hash: profile.hash, seq: profile.seq } }),
    ...(rule && { rule_id: rule.id }),
    ...(sessionId !== undefined && { session_id: sessionId }),
    tool: recordable(tool),
  }
}

interface DecidedResult {
  agentId: string
  decision: Decision
  basis: Basis
  /** The profile whose content rules decided. */
  profile: ActiveProfile
  verdict: ContentVerdict
  labels: readonly string[]
}

/** The record about what a result of a decided call has. Its other fields are those of the call. */
export function resultRecordOf({ agentId, decision, basis, profile, verdict, labels }: DecidedResult): DecisionRecord {
  return {
    agent_id: agentId,
    args_digest: basis.digest,
    at: new Date().toISOString(),
    content: [...verdict.matches],
    ...versionOf(profile),
    decision_id: newDecisionId(),
    effect: basis.effect,
    ...(labels.length > 0 && { labels: [...labels] }),
    mode: basis.mode,
    of: decision.decisionId,
    policy_version: decision.policyVersion,
    tool: recordable(basis.tool),
  }
}

function versionOf(profile: ActiveProfile | null): Pick<DecisionRecord, 'content_version'> {
  const content = profile?.content
  return content && content.fault === null ? { content_version: content.rules.version } : {}
}
