import type { CandidatePolicy, Simulation, SimulationResult } from '@mandate/contract/policies'
import { compilePolicy, evaluate } from '@mandate/policy/evaluate'
import type { Call, Rule, Snapshot } from '@mandate/policy/types'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../http/ctx.ts'
import { notFound } from '../../refusal.ts'
import { checkedDocument, ruleOf, withFields } from './document.ts'
import { findPolicy } from './queries.ts'
import { replayDecisions } from './replay-decisions.ts'

const emptyPolicy: Snapshot = {
  name: 'candidate',
  description: '',
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
  rules: [],
}

/** Judges a document as a save would, and saves nothing. @throws 400 naming the first fault, all of them in `errors` */
export async function validatePolicy(_ctx: Ctx<Member>, sent: CandidatePolicy) {
  const { warnings } = checkedDocument(candidate(emptyPolicy, sent), { listFaults: true })
  return { valid: true as const, warnings }
}

/**
 * What the stored policy decides of calls or, when a document is given, what it would with that document's fields in
 * place of its own; and what it would have decided of what edges recorded, when a replay is asked for. The same evaluator
 * decides at the edge.
 * @throws 404 for a policy the caller cannot see, 400 for a faulty document, 429 for a replay too many at once
 */
export async function simulatePolicy(
  ctx: Ctx<Member>,
  policyId: string,
  { calls = [], document, replay }: Simulation,
): Promise<SimulationResult> {
  const stored = await findPolicy(ctx.sql, ctx.actor, policyId)
  if (!stored) throw notFound('policy')
  const { snapshot, warnings } = document
    ? checkedDocument(candidate(stored, document), { prefix: 'document.' })
    : { snapshot: stored, warnings: [] }
  const policy = compilePolicy(snapshot)
  const results = calls.map(({ tool, args = {}, agent = {}, environment = {} }) => {
    const call: Call = { tool, args, agent, environment }
    return { tool, ...evaluate(policy, call) }
  })
  return {
    policy_version: document ? null : stored.version,
    results,
    warnings,
    ...(replay && { replay: await replayDecisions(ctx, policyId, snapshot, replay.days) }),
  }
}

// A rule without an id is named by its place, so that a verdict can point at it.
function candidate(base: Snapshot, sent: CandidatePolicy): Snapshot {
  const rules: Rule[] = sent.rules?.map((rule, index) => ruleOf(rule, rule.id ?? `rules[${index}]`)) ?? base.rules
  return { ...withFields(base, sent), rules }
}
