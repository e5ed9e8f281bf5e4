import { isSameName } from '@mandate/contract/fields/name-key'
import type { CandidatePolicy, Simulation, SimulationResult } from '@mandate/contract/policies/policies'
import { CountedUses } from '@mandate/policy/counted-uses'
import { compilePolicy, evaluate, type Verdict } from '@mandate/policy/evaluate'
import { stricter } from '@mandate/policy/strictness'
import { invalidToolName, isToolName } from '@mandate/policy/tool-name'
import type { Call, Rule, Snapshot } from '@mandate/policy/types'
import { uriReadings } from '@mandate/policy/uri-readings'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { findEnvironment } from '../../../caller/working-environment.ts'
import { invalid, notFound, throwIfRefused } from '../../../refusal.ts'
import { mostCharacterTests } from '../../decisions/replay/decide-again.ts'
import { readInventory } from '../../tools/read-inventory.ts'
import { checkedDocument, ruleOf, withFields } from '../change/document.ts'
import { takenNameWarnings } from '../change/policy-name.ts'
import { findPolicy } from '../queries.ts'
import { foreignEnvironmentRefusal, placeOfNewPolicy } from '../rules.ts'
import { replayDecisions } from './replay-decisions.ts'
import { type RulesDecider, simulatedContent, withContent } from './simulate-content.ts'

/**
 * Maximum for the number of calls times the number of the policy's patterns. A call counts once for each reading of its address. For
 * example, a request may send 100 calls for a policy
 * with 5,000 patterns.
 */
const mostPatternTests = 500_000
const deniedName = {
  effect: 'deny',
  rule_id: null,
  reason: invalidToolName,
  undecided: null,
  over_limit: null,
} as const

const emptyPolicy: Snapshot = {
  name: 'candidate',
  description: '',
  environment_id: null,
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
  rules: [],
}

/**
 * Checks a document as a save would, and saves nothing. Does not know the policy of the document. So a name that another policy has is
 * a warning. @throws 400 with the first fault, and with the faults in `errors`
 */
export async function validatePolicy({ sql, actor }: Ctx<Member>, sent: CandidatePolicy) {
  const { warnings } = checkedDocument(candidate(emptyPolicy, sent), { listFaults: true })
  const { name } = sent
  const environment_id = placeOfNewPolicy(actor, sent.environment_id)
  const taken = name === undefined ? [] : await takenNameWarnings(sql, actor, { name, environment_id })
  return { valid: true as const, warnings: [...taken, ...warnings] }
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
  { calls = [], document, environment_id, content, replay }: Simulation,
): Promise<SimulationResult> {
  const stored = await findPolicy(ctx.sql, ctx.actor, policyId)
  if (!stored) throw notFound('policy')
  const { snapshot, warnings } = document
    ? checkedDocument(candidate(stored, document), { prefix: 'document.' })
    : { snapshot: stored, warnings: [] }
  const isNamed = isSameName(snapshot.name, stored.name) && snapshot.environment_id === stored.environment_id
  const taken = isNamed ? [] : await takenNameWarnings(ctx.sql, ctx.actor, { ...snapshot, id: policyId })
  const inventoryOf = await simulatedInventory(ctx, environment_id ?? snapshot.environment_id, {
    calls,
    isNamed: environment_id !== undefined,
  })
  const rules = await simulatedContent(ctx, policyId, content?.bindings, snapshot.dlp_enabled)
  const results = await withContent(ctx, decider(snapshot, calls, inventoryOf), calls, rules)
  return {
    policy_version: document ? null : stored.version,
    results,
    warnings: [...taken, ...warnings],
    ...(replay && { replay: await replayDecisions(ctx, { policyId, stored, candidate: snapshot }, replay) }),
  }
}

/**
 * Returns functions that decide a call by the policy's rules, and that count an allowed call. Limits of rules begin at zero.
 * @throws 400 if the size of the policy and of the calls would make the request too slow; `decide` throws it too
 */
function decider(snapshot: Snapshot, calls: Calls, inventoryOf: InventoryOf): RulesDecider {
  const patterns = snapshot.rules.reduce((sum, { match }) => sum + match.tools.length, 0)
  const readings = calls.reduce((sum, { tool, args }) => sum + readingsOf(tool, args).length, 0)
  if (patterns * readings > mostPatternTests) throw tooMuchWork()
  const policy = compilePolicy(snapshot)
  let left = mostCharacterTests
  const counted = new CountedUses()
  const decide: RulesDecider['decide'] = ({ tool, args = {}, agent = {}, environment = {}, session }) => {
    if (!isToolName(tool)) return { tool, ...deniedName }
    const uses = counted.of(agent)
    const call: Call = { tool, args, agent, environment, uses, ...sessionOf(session), ...inventoryOf(tool) }
    const characters = JSON.stringify({ tool, args, agent, environment }).length
    const spend = (conditions: number) => {
      left -= conditions * characters
      if (left < 0) throw tooMuchWork()
    }
    const [sent, ...others] = readingsOf(tool, args).map((reading) =>
      evaluate(policy, { ...call, args: reading }, ({ conditions }) => spend(conditions.length)),
    ) as [Verdict, ...Verdict[]]
    // As at the edge, only a rule counts for another reading of an address, not the default effect.
    return { tool, ...others.filter(({ rule_id }) => rule_id !== null).reduce(stricter<Verdict>, sent) }
  }
  return { decide, count: ({ agent = {} }, result) => counted.count(policy, agent, result) }
}

/** The arguments as sent, and the other ways in which a tool server may read the address of a resource. */
function readingsOf(tool: string, args: Record<string, unknown> = {}): Record<string, unknown>[] {
  if (!tool.startsWith('resource:') || typeof args.uri !== 'string') return [args]
  return uriReadings(args.uri).map(({ uri }) => ({ ...args, uri }))
}

type Calls = NonNullable<Simulation['calls']>
type InventoryOf = (tool: string) => Pick<Call, 'inventory' | 'declaredArgs'>

function sessionOf(sent: Calls[number]['session']): Pick<Call, 'session'> {
  return sent ? { session: { labels: new Set(sent.labels), calls: sent.calls ?? 0 } } : {}
}

/**
 * Returns what the inventory of an environment says of the tools of the calls. Without an environment it says nothing.
 * @throws 400 if the request names an environment that the caller has no access to, 403 for a key that is bound to another environment
 */
async function simulatedInventory(
  { sql, actor, now }: Ctx<Member>,
  environmentId: string | null,
  { calls, isNamed }: { calls: Calls; isNamed: boolean },
): Promise<InventoryOf> {
  if (environmentId === null) return () => ({})
  if (isNamed) throwIfRefused(foreignEnvironmentRefusal(actor, environmentId))
  const isSeen = (await findEnvironment(sql, actor, environmentId)) !== undefined
  if (isNamed && !isSeen) throw invalid('environment_id: environment not found')
  if (!isSeen || calls.length === 0) return () => ({})
  const tools = calls.map(({ tool }) => tool)
  return await readInventory(sql, environmentId, tools, now)
}

const tooMuchWork = () =>
  invalid('calls are too many or too large for a policy of this size: send fewer calls per request')

// A rule without an id gets an id that is made from its position, so that a result can refer to the rule.
function candidate(base: Snapshot, sent: CandidatePolicy): Snapshot {
  const rules: Rule[] = sent.rules?.map((rule, index) => ruleOf(rule, rule.id ?? `rules[${index}]`)) ?? base.rules
  return { ...withFields(base, sent), rules }
}
