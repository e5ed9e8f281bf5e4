import type { DecisionReplay } from '@mandate/contract/policies'
import { type CompiledPolicy, compilePolicy } from '@mandate/policy/evaluate'
import { evaluateTool, type ToolVerdict } from '@mandate/policy/evaluate-tool'
import type { PolicyDocument } from '@mandate/policy/types'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import {
  agentLimit,
  type Counted,
  countDecisions,
  decisionLimit,
  type RecordedKind,
  type Span,
} from './replay-queries.ts'

const dayMs = 24 * 60 * 60_000
const examplesOfEither = 20
const kindLimit = 5000
/**
 * Maximum for the number of decision kinds times the number of tool patterns. It limits the time of a replay. A simulation of
 * the calls in a request has the same limit (`mostPatternTests`).
 */
const matchLimit = 500_000

/**
 * Replays the decisions that edges recorded in the last `days` days. Includes the agents that have the policy and that the
 * caller sees. Returns what `document` would decide, together with what was decided.
 * @throws 429 while another replay of the tenant runs, or too many replays run in the process
 */
export async function replayDecisions(
  ctx: Ctx<Member>,
  policyId: string,
  document: PolicyDocument,
  days: number,
): Promise<DecisionReplay> {
  return ctx.services.replays.run(ctx.actor.tenantId, () => replay(ctx, policyId, document, days))
}

async function replay(ctx: Ctx<Member>, policyId: string, document: PolicyDocument, days: number) {
  const span = { from: new Date(Date.parse(ctx.now) - days * dayMs).toISOString(), to: ctx.now }
  const limit = Math.min(kindLimit, Math.ceil(matchLimit / countPatterns(document)))
  const counted = await ctx.inTenant((tx) => countFairly(tx, ctx.actor, { policyId, ...span, kindLimit: limit }))
  const { kinds, found, read, agents } = counted
  const isComplete = read < decisionLimit && found <= limit && agents < agentLimit
  return { ...span, complete: isComplete, ...summarize(kinds, compilePolicy(document)) }
}

/**
 * Counts all decisions if there are fewer than `decisionLimit`. Otherwise counts the newest decisions of each agent, with an
 * equal share of the limit for each agent.
 */
async function countFairly(tx: Tx, actor: Member, span: Span): Promise<Counted> {
  const counted = await countDecisions(tx, actor, span)
  const { read, agents } = counted
  if (read < decisionLimit || agents === 1) return counted
  return await countDecisions(tx, actor, span, Math.max(1, Math.floor(decisionLimit / agents)))
}

const countPatterns = ({ rules }: PolicyDocument) => rules.reduce((sum, { match }) => sum + match.tools.length, 1)

type Replayed = RecordedKind & { verdict: ToolVerdict }

function summarize(kinds: readonly RecordedKind[], policy: CompiledPolicy) {
  const verdicts = new Map<string, ToolVerdict>()
  const replayed = kinds.map((kind): Replayed => {
    const verdict = verdicts.get(kind.tool) ?? evaluateTool(policy, kind.tool)
    verdicts.set(kind.tool, verdict)
    return { ...kind, verdict }
  })
  const undecidable = replayed.filter(({ verdict }) => verdict.effect === null)
  const changed = replayed.filter(({ was, verdict }) => verdict.effect !== null && verdict.effect !== was)
  return {
    decisions: callsOf(replayed),
    changed: callsOf(changed),
    undecidable: callsOf(undecidable),
    totals: totalsOf(replayed),
    examples: [...changed.slice(0, examplesOfEither), ...undecidable.slice(0, examplesOfEither)].map(exampleOf),
  }
}

const callsOf = (kinds: readonly RecordedKind[]) => kinds.reduce((sum, { calls }) => sum + calls, 0)

function totalsOf(replayed: readonly Replayed[]): DecisionReplay['totals'] {
  const pairs = Map.groupBy(replayed, ({ was, verdict }) => `${was} ${verdict.effect}`)
  return [...pairs.values()].map((same) => ({
    was: same[0]!.was,
    would_be: same[0]!.verdict.effect,
    calls: callsOf(same),
    enforced: callsOf(same.filter(({ mode }) => mode === 'enforce')),
  }))
}

function exampleOf({ tool, was, mode, policy_version, calls, last_at, verdict }: Replayed) {
  const { effect: would_be, rule_id, undecidable } = verdict
  return { tool, was, would_be, rule_id, undecidable, mode, policy_version, calls, last_at }
}
