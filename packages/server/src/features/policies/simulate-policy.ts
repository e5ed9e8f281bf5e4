import type { CandidatePolicy, Simulation, SimulationResult } from '@mandate/contract/policies'
import { compilePolicy, evaluate } from '@mandate/policy/evaluate'
import type { Call, Rule, Snapshot } from '@mandate/policy/types'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { invalid, notFound } from '../../refusal.ts'
import { checkedDocument, ruleOf, withFields } from './document.ts'
import { findPolicy } from './queries.ts'
import { replayDecisions } from './replay-decisions.ts'

/** Calls times patterns of the policy. A policy of 5,000 patterns takes 100 calls at once. */
const mostPatternTests = 500_000
/** Characters of a call as JSON times the conditions that are tested for it, over all calls: some 100 ms. */
const mostCharacterTests = 50_000_000

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
 * @throws 404 for a policy the caller cannot see, 400 for a faulty document and for too much work, 429 for a replay too many at once
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
  const results = decide(snapshot, calls)
  return {
    policy_version: document ? null : stored.version,
    results,
    warnings,
    ...(replay && { replay: await replayDecisions(ctx, policyId, snapshot, replay.days) }),
  }
}

/** @throws 400 for calls that would take longer than a policy's size and theirs may make one request take */
function decide(snapshot: Snapshot, calls: NonNullable<Simulation['calls']>) {
  const patterns = snapshot.rules.reduce((sum, { match }) => sum + match.tools.length, 0)
  if (patterns * calls.length > mostPatternTests) throw tooMuchWork()
  const policy = compilePolicy(snapshot)
  let left = mostCharacterTests
  return calls.map(({ tool, args = {}, agent = {}, environment = {} }) => {
    const call: Call = { tool, args, agent, environment }
    const characters = JSON.stringify(call).length
    const spend = (conditions: number) => {
      left -= conditions * characters
      if (left < 0) throw tooMuchWork()
    }
    return { tool, ...evaluate(policy, call, ({ conditions }) => spend(conditions.length)) }
  })
}

const tooMuchWork = () => invalid('calls are too many or too large for the size of the policy: send fewer at once')

// A rule without an id is named by its place, so that a verdict can point at it.
function candidate(base: Snapshot, sent: CandidatePolicy): Snapshot {
  const rules: Rule[] = sent.rules?.map((rule, index) => ruleOf(rule, rule.id ?? `rules[${index}]`)) ?? base.rules
  return { ...withFields(base, sent), rules }
}
