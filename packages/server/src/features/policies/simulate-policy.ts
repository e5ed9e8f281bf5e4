import type { CandidatePolicy, Simulation, SimulationResult } from '@mandate/contract/policies'
import { compilePolicy, evaluate } from '@mandate/policy/evaluate'
import type { Call, Rule, Snapshot } from '@mandate/policy/types'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { invalid, notFound } from '../../refusal.ts'
import { checkedDocument, ruleOf, withFields } from './document.ts'
import { findPolicy } from './queries.ts'
import { replayDecisions } from './replay-decisions.ts'

/**
 * Maximum for the number of calls times the number of the policy's patterns. For example, a request may send 100 calls for a
 * policy with 5,000 patterns.
 */
const mostPatternTests = 500_000
/**
 * Maximum work of all calls together. The work of a call is its length as JSON times the number of conditions that test it. The
 * maximum takes about 100 ms.
 */
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

/** Checks a document as a save would, and saves nothing. @throws 400 with the first fault, and with the faults in `errors` */
export async function validatePolicy(_ctx: Ctx<Member>, sent: CandidatePolicy) {
  const { warnings } = checkedDocument(candidate(emptyPolicy, sent), { listFaults: true })
  return { valid: true as const, warnings }
}

/**
 * Returns what a policy decides for calls. If a document is sent, its fields replace those of the stored policy. On request it also
 * replays recorded decisions. Edges use the same evaluator.
 * @throws 404 for a policy that the caller cannot see, 400 for an invalid document or too much work, 429 for too many replays at
 *   the same time
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
    ...(replay && { replay: await replayDecisions(ctx, { policyId, stored, candidate: snapshot }, replay.days) }),
  }
}

/** @throws 400 if the size of the policy and of the calls would make the request too slow */
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

const tooMuchWork = () =>
  invalid('calls are too many or too large for a policy of this size: send fewer calls per request')

// A rule without an id gets an id that is made from its position, so that a result can refer to the rule.
function candidate(base: Snapshot, sent: CandidatePolicy): Snapshot {
  const rules: Rule[] = sent.rules?.map((rule, index) => ruleOf(rule, rule.id ?? `rules[${index}]`)) ?? base.rules
  return { ...withFields(base, sent), rules }
}
