import type { DecisionReplay } from '@mandate/contract/policies'
import { effects } from '@mandate/contract/policy-words'
import { classifyChange } from '@mandate/policy/classify-change'
import { type CompiledPolicy, compilePolicy } from '@mandate/policy/evaluate'
import { evaluateTool, type ToolVerdict } from '@mandate/policy/evaluate-tool'
import type { Snapshot } from '@mandate/policy/types'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { isLimitedByGrants } from '../../caller/records-in-sight.ts'
import type { Sql } from '../../db/database.ts'
import { planForValues } from '../../db/plan-once.ts'
import { otherTool } from '../decisions/kinds.ts'
import {
  countAgentsOf,
  countAgentsWith,
  countKinds,
  findAgentsWith,
  hasUnnamed,
  type RecordedKind,
  type Span,
} from './replay-queries.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const examplesOfEither = 20
const kindLimit = 5000
/**
 * Maximum for the number of decision kinds times the number of tool patterns. It limits the time of a replay. A simulation of
 * the calls in a request has the same limit (`mostPatternTests`).
 */
const matchLimit = 500_000

/** The stored policy, and the policy that would replace it. */
export interface Change {
  policyId: string
  stored: Snapshot
  candidate: Snapshot
}

/**
 * Replays the decisions of the last `days` days that the stored policy decided and whose agents the caller sees. Returns what `candidate`
 * would decide, together with what was decided. Reads the counts of decisions, so the result is whole.
 * @throws 429 while another replay of the tenant runs, or too many replays run in the process
 */
export async function replayDecisions(ctx: Ctx<Member>, change: Change, days: number): Promise<DecisionReplay> {
  return ctx.services.replays.run(ctx.actor.tenantId, () => replay(ctx, change, days))
}

async function replay(
  ctx: Ctx<Member>,
  { policyId, stored, candidate }: Change,
  days: number,
): Promise<DecisionReplay> {
  const { actor, now } = ctx
  const fromMs = Date.parse(now) - days * dayMs
  const span: Span = { policyId, from: new Date(fromMs - (fromMs % hourMs)).toISOString(), to: now }
  const mostKinds = Math.min(kindLimit, Math.ceil(matchLimit / countPatterns(candidate)))
  const policy = compilePolicy(candidate)
  return await ctx.services.db.transaction(actor.tenantId, async (tx) => {
    await planForValues(tx)
    const { kinds, found } = await findKinds(tx, actor, span, mostKinds)
    const replayed = decideAgain(kinds, policy)
    const changed = replayed.filter(({ verdict, was }) => verdict.effect !== null && verdict.effect !== was)
    const undecidable = replayed.filter(({ verdict }) => verdict.effect === null)
    const shown = [...groupsOf(changed).slice(0, examplesOfEither), ...groupsOf(undecidable).slice(0, examplesOfEither)]
    const [total, affected, agents] = await Promise.all([
      countAgentsOf(tx, actor, policyId),
      countAgentsWith(
        tx,
        actor,
        changed.map(({ id }) => id),
        span,
      ),
      findAgentsWith(
        tx,
        actor,
        shown.map(({ id }) => id),
        span,
      ),
    ])
    return {
      from: span.from,
      to: span.to,
      complete: found <= kinds.length,
      decisions: callsOf(replayed),
      changed: callsOf(changed),
      undecidable: callsOf(undecidable),
      change_class: classifyChange(stored, candidate),
      agents: { total, affected },
      totals: totalsOf(replayed),
      matrix: matrixOf(replayed),
      examples: shown.map((one) => exampleOf(one, agents.get(one.id) ?? null)),
    }
  })
}

/** Records that name no policy are looked up by the agents that have the policy now. */
async function findKinds(db: Sql, actor: Member, span: Span, mostKinds: number) {
  const byAgent = isLimitedByGrants(actor)
  const [named, unnamed] = await Promise.all([
    countKinds(db, actor, span, { namesPolicy: true, byAgent, mostKinds }),
    hasUnnamed(db, actor).then((found) =>
      found ? countKinds(db, actor, span, { namesPolicy: false, byAgent: true, mostKinds }) : { kinds: [], found: 0 },
    ),
  ])
  const kinds = [...named.kinds, ...unnamed.kinds].sort((a, b) => b.calls - a.calls).slice(0, mostKinds)
  return { kinds, found: named.found + unnamed.found }
}

const countPatterns = ({ rules }: Snapshot) => rules.reduce((sum, { match }) => sum + match.tools.length, 1)

type Replayed = RecordedKind & { verdict: ToolVerdict }

/** Calls that are counted as `other` have no tool of their own, so no policy can decide them again. */
const unknownTool: ToolVerdict = { effect: null, rule_id: null, undecidable: ['tool'] }

function decideAgain(kinds: readonly RecordedKind[], policy: CompiledPolicy): Replayed[] {
  const verdicts = new Map<string, ToolVerdict>()
  return kinds.map((kind) => {
    const verdict = verdicts.get(kind.tool) ?? (kind.tool === otherTool ? unknownTool : evaluateTool(policy, kind.tool))
    verdicts.set(kind.tool, verdict)
    return { ...kind, verdict }
  })
}

const callsOf = (kinds: readonly RecordedKind[]) => kinds.reduce((sum, { calls }) => sum + calls, 0)

/** Joins kinds that differ only in their rule or environment. The most frequent come first. */
function groupsOf(replayed: readonly Replayed[]): Replayed[] {
  const groups = Map.groupBy(replayed, ({ tool, was, mode, policyVersion }) =>
    JSON.stringify([tool, was, mode, policyVersion]),
  )
  return [...groups.values()]
    .map((same) => ({
      ...same[0]!,
      calls: callsOf(same),
      lastAt: same.reduce((latest, { lastAt }) => (lastAt > latest ? lastAt : latest), ''),
    }))
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1))
}

function totalsOf(replayed: readonly Replayed[]): DecisionReplay['totals'] {
  const pairs = Map.groupBy(replayed, ({ was, verdict }) => `${was} ${verdict.effect}`)
  return [...pairs.values()].map((same) => ({
    was: same[0]!.was,
    would_be: same[0]!.verdict.effect,
    calls: callsOf(same),
    enforced: callsOf(same.filter(({ mode }) => mode === 'enforce')),
  }))
}

function matrixOf(replayed: readonly Replayed[]): DecisionReplay['matrix'] {
  const row = () => ({ allow: 0, deny: 0, require_approval: 0, depends: 0 })
  const matrix = Object.fromEntries(effects.map((was) => [was, row()])) as DecisionReplay['matrix']
  for (const { was, verdict, calls } of replayed) matrix[was][verdict.effect ?? 'depends'] += calls
  return matrix
}

function exampleOf(
  { tool, was, mode, policyVersion, calls, lastAt, verdict }: Replayed,
  agent: DecisionReplay['examples'][number]['agent'],
): DecisionReplay['examples'][number] {
  const { effect: would_be, rule_id, undecidable } = verdict
  return {
    tool,
    was,
    would_be,
    rule_id,
    undecidable,
    mode,
    policy_version: policyVersion,
    calls,
    last_at: lastAt,
    agent,
  }
}
