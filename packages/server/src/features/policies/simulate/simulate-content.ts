import { type CompiledContent, compileContent } from '@mandate/content/compile-content'
import type { ContentRules, ContentSide } from '@mandate/content/definition'
import type { JsonValue } from '@mandate/content/inspect/embedded-text'
import { type ContentVerdict, judge, nothingToDo } from '@mandate/content/judge'
import { startInspection } from '@mandate/content/pool/inspect-anywhere'
import { RecentValues } from '@mandate/content/recent-values'
import type { ContentBinding } from '@mandate/contract/content'
import type { Simulation, SimulationResult } from '@mandate/contract/policies/policies'
import { strictness } from '@mandate/policy/strictness'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { invalid } from '../../../refusal.ts'
import { poolRefusal } from '../../content/pool-refusal.ts'
import { candidateRules, storedRules } from '../../content/read-rules.ts'

type Calls = NonNullable<Simulation['calls']>
type Result = SimulationResult['results'][number]
type Decided = Omit<Result, 'content' | 'labels'>

/** How long the inspection of all calls of a request may take. */
const longestMs = 2_000

/**
 * Returns the content rules that decide: those of the request, or the stored ones if data-loss prevention is on.
 * @throws 400 for a pattern or a group that does not exist
 */
export async function simulatedContent(
  { sql }: Ctx<Member>,
  policyId: string,
  sent: readonly ContentBinding[] | undefined,
  isOn: boolean,
): Promise<ContentRules | null> {
  if (sent !== undefined) return await candidateRules(sql, sent, 'content.bindings')
  return isOn ? await storedRules(sql, policyId) : null
}

const compiledRules = new RecentValues<CompiledContent>(50)

/** Decides calls by the rules of a policy. */
export interface RulesDecider {
  decide(call: Calls[number]): Decided
  /** Counts a call that content rules allow too. */
  count(call: Calls[number], result: Result): void
}

/** Decides calls by the policy's rules and by content rules, one after the other. The stricter effect counts. */
export async function withContent(
  ctx: Ctx<Member>,
  { decide, count }: RulesDecider,
  calls: Calls,
  rules: ContentRules | null,
): Promise<Result[]> {
  const inspect = rules === null ? null : inspector(ctx, rules)
  const startMs = performance.now()
  const results: Result[] = []
  for (const call of calls) {
    if (performance.now() - startMs > longestMs)
      throw invalid('calls: the content of the calls takes too long to inspect')
    const decided = decide(call)
    const result = inspect ? await inspect(decided, call) : { ...decided, content: [], labels: [] }
    if (result.effect === 'allow') count(call, result)
    results.push(result)
  }
  return results
}

/** Returns a function that adds what content rules say to a decision of the policy's rules. */
function inspector(ctx: Ctx<Member>, rules: ContentRules) {
  const compiled = compiledRules.get(JSON.stringify(rules), () => compileContent(rules))
  const look = (side: ContentSide, value: unknown) => inspected(ctx, rules, compiled, side, value as JsonValue)
  return async (decided: Decided, { args = {}, result: received }: Calls[number]): Promise<Result> => {
    const sent = await look('arguments', args)
    const back = received === undefined ? nothingToDo : await look('results', received)
    return combined(decided, sent, back)
  }
}

async function inspected(
  { services, actor }: Ctx<Member>,
  rules: ContentRules,
  compiled: CompiledContent,
  side: ContentSide,
  value: JsonValue,
): Promise<ContentVerdict> {
  const bound = compiled[side]
  if (bound === null) return nothingToDo
  try {
    const request = { rules, compiled, side, value, owner: actor.tenantId }
    const inspection = await startInspection(request, services.contentPool)
    return inspection === null ? nothingToDo : judge(bound, inspection)
  } catch (error) {
    throw poolRefusal(error)
  }
}

function combined(result: Decided, sent: ContentVerdict, back: ContentVerdict): Result {
  const isStricter = strictness[sent.effect] > strictness[result.effect]
  const decided = isStricter
    ? { ...result, effect: sent.effect, rule_id: null, reason: sent.reason, undecided: null }
    : result
  // A denied call has no result.
  const given = decided.effect === 'deny' ? sent.labels : [...sent.labels, ...back.labels]
  const labels = [...new Set(given)]
  return { ...decided, content: [...sent.matches, ...back.matches], labels }
}
