import type { DecisionReplay, Simulation } from '@mandate/contract/policies/policies'
import { effects } from '@mandate/contract/words/policy-words'
import { classifyChange } from '@mandate/policy/changes/classify-change'
import { asksArguments, type CompiledPolicy, compilePolicy } from '@mandate/policy/evaluate'
import { evaluateTool, type ToolVerdict } from '@mandate/policy/evaluate-tool'
import { isToolName } from '@mandate/policy/tool-name'
import type { Snapshot } from '@mandate/policy/types'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { isLimitedByGrants } from '../../../caller/records-in-sight.ts'
import { Pauses } from '../../../concurrency/pauses.ts'
import type { Sql } from '../../../db/database.ts'
import { planForValues } from '../../../db/plan-once.ts'
import { invalid } from '../../../refusal.ts'
import { otherTool } from '../../decisions/records/kinds.ts'
import { countConditions } from '../../decisions/replay/decide-again.ts'
import { type KnownTool, readEntries } from '../../tools/read-inventory.ts'
import { argumentsOf, decideKept, dependsOnArguments, type Replayed } from './replay-kept.ts'
import {
  countAgentsOf,
  countAgentsWith,
  countKinds,
  findAgentsWith,
  findHolds,
  findKeptCalls,
  findSeenAgent,
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
/**
 * Maximum for the number of tools that are decided by their declared arguments times the number of patterns and conditions of the stored policy
 * and the candidate. Calls of further tools depend on their arguments.
 */
const declaredLimit = 2_000_000

/** The stored policy, and the policy that would replace it. */
export interface Change {
  policyId: string
  stored: Snapshot
  candidate: Snapshot
}

type Asked = NonNullable<Simulation['replay']>

/**
 * Replays the decisions of the last `days` days that the stored policy decided and whose agents the caller sees, or those of one agent.
 * Compares what `candidate` would decide with what was decided. Reads the counts of all decisions, so no decision is left out.
 * @throws 400 for an agent that the caller does not see; 429 while another replay of the tenant runs, or too many replays run in the process
 */
export async function replayDecisions(ctx: Ctx<Member>, change: Change, asked: Asked): Promise<DecisionReplay> {
  return ctx.services.replays.run(ctx.actor.tenantId, () => replay(ctx, change, asked))
}

async function replay(
  ctx: Ctx<Member>,
  { policyId, stored, candidate }: Change,
  { days, agent_id }: Asked,
): Promise<DecisionReplay> {
  const { actor, now } = ctx
  const agentId = agent_id ?? null
  const only = agentId === null ? null : await findSeenAgent(ctx.sql, actor, agentId)
  if (only === undefined) throw invalid('replay.agent_id: agent not found')
  const fromMs = Date.parse(now) - days * dayMs
  const span: Span = { policyId, agentId, from: new Date(fromMs - (fromMs % hourMs)).toISOString(), to: now }
  const mostKinds = Math.min(kindLimit, Math.ceil(matchLimit / countPatterns(candidate)))
  const policy = compilePolicy(candidate)
  return await ctx.services.db.transaction(actor.tenantId, async (tx) => {
    await planForValues(tx)
    const { kinds: recorded, found } = await findKinds(tx, actor, span, mostKinds)
    const kinds = await asHeld(tx, policyId, recorded)
    const knownOf = await inventoriesOf(tx, policy, kinds, now)
    const byTool = await decideAgain(kinds, policy, knownOf)
    const kept = await findKeptCalls(tx, actor, idsOf(byTool.filter(dependsOnArguments)), span, mostKinds)
    const conditions = countConditions(candidate)
    const byValues = decideKept(byTool, kept, { policy, conditions }, (kind) => knownOf(kind)?.inventory ?? null)
    const mostTools = declaredLimit / (sizeOf(stored) + sizeOf(candidate))
    const byNames = await decideDeclared(byValues, { stored: compilePolicy(stored), policy, mostTools }, knownOf)
    const replayed = byNames.map((kind) => (isByContent(kind, candidate) ? dependsOnContent(kind) : kind))
    const changed = replayed.filter(({ verdict, was }) => verdict.effect !== null && verdict.effect !== was)
    const undecidable = replayed.filter(({ verdict }) => verdict.effect === null)
    const shown = [...groupsOf(changed).slice(0, examplesOfEither), ...groupsOf(undecidable).slice(0, examplesOfEither)]
    const { total, affected, agentOf } = only
      ? {
          total: only.policy_id === policyId ? 1 : 0,
          affected: changed.length > 0 ? 1 : 0,
          agentOf: () => ({ id: only.id, name: only.name }),
        }
      : await agentsOf(tx, actor, { changed: idsOf(changed), shown: idsOf(shown) }, span)
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
      arguments: argumentsOf(replayed),
      examples: shown.map((one) => exampleOf(one, agentOf(one.id))),
    }
  })
}

/** How many agents have the policy, how many of them made calls that would change, and an agent of each kind of calls that is shown. */
async function agentsOf(db: Sql, actor: Member, kindIds: Record<'changed' | 'shown', string[]>, span: Span) {
  const [total, affected, agents] = await Promise.all([
    countAgentsOf(db, actor, span.policyId),
    countAgentsWith(db, actor, kindIds.changed, span),
    findAgentsWith(db, actor, kindIds.shown, span),
  ])
  return { total, affected, agentOf: (kindId: string) => agents.get(kindId) ?? null }
}

/** Records that name no policy are looked up by the agents that have the policy now. */
async function findKinds(db: Sql, actor: Member, span: Span, mostKinds: number) {
  const byAgent = isLimitedByGrants(actor) || span.agentId !== null
  const [named, unnamed] = await Promise.all([
    countKinds(db, actor, span, { namesPolicy: true, byAgent, mostKinds }),
    hasUnnamed(db, actor).then((found) =>
      found ? countKinds(db, actor, span, { namesPolicy: false, byAgent: true, mostKinds }) : { kinds: [], found: 0 },
    ),
  ])
  const decided = unnamed.kinds.filter(isByPolicy)
  const kinds = [...named.kinds, ...decided].sort((a, b) => b.calls - a.calls).slice(0, mostKinds)
  return { kinds, found: named.found + unnamed.found - (unnamed.kinds.length - decided.length) }
}

/**
 * False for calls that were denied because the agent was not allowed to act, such as a frozen agent. Their records name no policy and no version.
 * No policy would have decided them in another way.
 */
function isByPolicy({ was, mode, policyVersion }: RecordedKind): boolean {
  return !(was === 'deny' && mode === 'enforce' && policyVersion === null)
}

/**
 * A call that passed after a person approved it was held by the policy. Its record has the effect `allow`, and a rule or default effect that
 * requires an approval. It counts as what the policy decided.
 */
async function asHeld(db: Sql, policyId: string, kinds: readonly RecordedKind[]): Promise<RecordedKind[]> {
  const hasPassed = ({ was, mode }: RecordedKind) => was === 'allow' && mode === 'enforce'
  const versions = new Set(kinds.filter(hasPassed).flatMap(({ policyVersion }) => policyVersion ?? []))
  const holds = await findHolds(db, policyId, [...versions])
  const holding = new Set(holds.map(({ version, rule_id }) => `${version} ${rule_id}`))
  return kinds.map((kind) => {
    const isApproved = hasPassed(kind) && holding.has(`${kind.policyVersion} ${kind.ruleId}`)
    return isApproved ? { ...kind, was: 'require_approval' } : kind
  })
}

const countPatterns = ({ rules }: Snapshot) => rules.reduce((sum, { match }) => sum + match.tools.length, 1)
const sizeOf = (policy: Snapshot) => countPatterns(policy) + countConditions(policy)

/** Calls that are counted as `other` have no tool of their own, so no policy can decide them again. */
const unknownTool: ToolVerdict = { effect: null, rule_id: null, undecidable: ['tool'] }
/** Edges deny every call of a tool with an invalid name, under every policy. */
const invalidTool: ToolVerdict = { effect: 'deny', rule_id: null, undecidable: [] }

/** What the inventory of an environment says of a tool today. Null if it is not known. */
type Inventories = (kind: RecordedKind) => KnownTool | null

/** Reads the inventories of the environments of the calls, if the policy asks for them or for arguments. */
async function inventoriesOf(
  db: Sql,
  policy: CompiledPolicy,
  kinds: readonly RecordedKind[],
  now: string,
): Promise<Inventories> {
  const asks = ({ tool }: RecordedKind) => policy.asksInventory || asksArguments(policy, tool)
  const known = new Map<string, (tool: string) => KnownTool>()
  for (const [id, same] of Map.groupBy(kinds, ({ environmentId }) => environmentId)) {
    if (id === null) continue
    const tools = same.filter(asks).map(({ tool }) => tool)
    if (tools.length > 0) known.set(id, await readEntries(db, id, tools, now))
  }
  return ({ environmentId, tool }) => known.get(environmentId ?? '')?.(tool) ?? null
}

/** A recorded call has no session, so conditions on `session.` are errors. */
async function decideAgain(
  kinds: readonly RecordedKind[],
  policy: CompiledPolicy,
  knownOf: Inventories,
): Promise<Replayed[]> {
  const verdicts = new Map<string, ToolVerdict>()
  const pauses = new Pauses()
  const replayed: Replayed[] = []
  for (const kind of kinds) {
    const key = policy.asksInventory ? `${kind.environmentId} ${kind.tool}` : kind.tool
    const verdict = verdicts.get(key) ?? verdictOf(policy, kind, knownOf(kind))
    verdicts.set(key, verdict)
    replayed.push({ ...kind, verdict })
    await pauses.between()
  }
  return replayed
}

function verdictOf(policy: CompiledPolicy, { tool }: RecordedKind, known: KnownTool | null): ToolVerdict {
  if (tool === otherTool) return unknownTool
  return isToolName(tool) ? evaluateTool(policy, tool, known?.inventory ?? null) : invalidTool
}

/**
 * Decides calls of unknown arguments by the names of the arguments that their tools declare. The edge may have decided by other names, or without them,
 * as for a caller that is not a client of MCP. So calls still depend on their arguments if the stored policy would not have decided them as recorded.
 * Calls of more than `mostTools` tools depend on them too. The most frequent calls come first.
 */
async function decideDeclared(
  kinds: readonly Replayed[],
  { stored, policy, mostTools }: { stored: CompiledPolicy; policy: CompiledPolicy; mostTools: number },
  knownOf: Inventories,
): Promise<Replayed[]> {
  const verdicts = new Map<string, { verdict: ToolVerdict; before: ToolVerdict } | null>()
  const decide = (kind: Replayed) => {
    const known = knownOf(kind)
    if (!known?.declaredArgs) return null
    const { inventory, declaredArgs } = known
    const verdict = evaluateTool(policy, kind.tool, inventory, { declaredArgs })
    return verdict.effect === null
      ? null
      : { verdict, before: evaluateTool(stored, kind.tool, inventory, { declaredArgs }) }
  }
  const pauses = new Pauses()
  const replayed: Replayed[] = []
  let tools = 0
  for (const kind of kinds) {
    const isOpen = !kind.kept && dependsOnArguments(kind)
    const key = `${kind.environmentId} ${kind.tool}`
    if (isOpen && !verdicts.has(key) && tools < mostTools) {
      if (knownOf(kind)?.declaredArgs) tools++
      verdicts.set(key, decide(kind))
    }
    const decided = isOpen ? verdicts.get(key) : undefined
    const fits = decided && (decided.before.effect === null || decided.before.effect === kind.was)
    replayed.push(fits ? { ...kind, verdict: decided.verdict } : kind)
    await pauses.between()
  }
  return replayed
}

/** Whether content rules may have decided the calls: no rule did, and the effect is stricter than that of the policy. The counts do not say. */
function isByContent({ ruleId, was, verdict }: Replayed, { dlp_enabled }: Snapshot): boolean {
  const isStricter = was === 'deny' || (was === 'require_approval' && verdict.effect !== 'deny')
  return dlp_enabled && ruleId === null && isStricter && verdict.effect !== was
}

const dependsOnContent = (kind: Replayed): Replayed => ({
  ...kind,
  verdict: { effect: null, rule_id: null, undecidable: ['content'] },
})

const idsOf = (kinds: readonly RecordedKind[]) => [...new Set(kinds.map(({ id }) => id))]
const callsOf = (kinds: readonly RecordedKind[]) => kinds.reduce((sum, { calls }) => sum + calls, 0)

/** Joins kinds that differ only in their rule, their environment or their arguments. The most frequent come first. */
function groupsOf(replayed: readonly Replayed[]): Replayed[] {
  const groups = Map.groupBy(replayed, ({ tool, was, mode, policyVersion, verdict }) =>
    JSON.stringify([tool, was, mode, policyVersion, verdict]),
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
