import type { Decision } from '@mandate/contract/decisions'
import { contentHash } from '@mandate/proofs/canonical'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { withDecision } from '../list/get-decision.ts'
import { findKept } from '../records/kept-arguments.ts'
import { type CallFacts, decideAgain, type Replayed, undecidable } from './decide-again.ts'
import { findApprovalArguments, findCallFacts, findSnapshot } from './replay-queries.ts'

interface Named {
  id: string
  name: string | null
}

interface DecisionReplay {
  result: Replayed['result']
  recorded: { effect: Decision['effect']; rule: Named | null }
  replayed: { effect: Decision['effect']; rule: Named | null } | null
  reason: string
}

/**
 * Decides a recorded call again by the policy version that decided it. The agent and its environment are as they are today.
 * @throws 404
 */
export function replayDecision(ctx: Ctx<Member>, id: string): Promise<DecisionReplay> {
  return withDecision(ctx, id, async (db, { decisionId }, decision) => {
    const { effect, rule, policy } = decision
    const recorded = { effect, rule }
    // A policy without a name was deleted, or may not be shown to the caller. Both get the same answer.
    const found =
      policy?.version && policy.name !== null ? await findSnapshot(db, policy.id, policy.version) : undefined
    if (!policy?.version || !found) return { recorded, replayed: null, ...noVersion(policy) }
    if (policy.content_hash !== null && policy.content_hash !== found.contentHash) {
      const reason = 'the record names another content of the policy version than the server has'
      return { recorded, replayed: null, result: 'undecidable', reason }
    }
    const { result, reason, replayed } = decideAgain(
      found.snapshot,
      policy.version,
      {
        tool: decision.tool,
        effect,
        mode: decision.mode,
        ruleId: rule?.id ?? null,
        approvalId: decision.approval_id,
        content: contentEffect(decision.content),
      },
      await factsOf(db, decisionId, decision),
    )
    const name = found.snapshot.rules.find((one) => one.id === replayed?.ruleId)?.name ?? null
    return {
      result,
      recorded,
      replayed: replayed && {
        effect: replayed.effect,
        rule: replayed.ruleId === null ? null : { id: replayed.ruleId, name },
      },
      reason,
    }
  })
}

/** What the matches in the arguments required. */
function contentEffect(content: Decision['content']): Decision['effect'] {
  const actions = (content ?? []).flatMap(({ on, action }) => (on === 'arguments' ? [action] : []))
  return (
    actions.find((action) => action === 'deny') ?? actions.find((action) => action === 'require_approval') ?? 'allow'
  )
}

function noVersion(policy: Decision['policy']): Pick<Replayed, 'result' | 'reason'> {
  const { result, reason } = undecidable(
    policy?.version
      ? `version ${policy.version} of the policy is not stored: the policy was deleted, or the version never existed`
      : 'the record names no policy: the edge had none, or it did not record it',
  )
  return { result, reason }
}

/** The arguments of an approval count only if they have the recorded digest, because edges shorten and redact what people see. */
async function factsOf(
  db: Sql,
  decisionId: string,
  { agent, tool, approval_id, args_digest }: Decision,
): Promise<CallFacts> {
  const [facts, args, kept] = await Promise.all([
    findCallFacts(db, agent.id),
    approval_id === null ? null : findApprovalArguments(db, approval_id, agent.id),
    findKept(db, decisionId),
  ])
  return { ...facts, args: args && digestOf(tool, args) === args_digest ? args : null, kept }
}

function digestOf(tool: string, args: Record<string, unknown>): string | null {
  try {
    return contentHash({ tool, args })
  } catch {
    return null
  }
}
