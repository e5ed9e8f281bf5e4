// Compares decisions with 10, 100 and 1,000 rules with Cedar's decisions on the same calls: `npm run bench:policy`.
// This favors Cedar: its policies are already parsed, and each call contains only the one entity that it needs.
import { createRequire } from 'node:module'
import { compilePolicy, evaluate } from '../../packages/policy/src/evaluate.ts'
import { quantile } from '../servers/real-server.ts'
import { asCedar, asCedarCall, asDocument, asDocumentWithSession, inSession, makeCalls, makeCases } from './cases.ts'

interface Cedar {
  preparsePolicySet(id: string, policies: { staticPolicies: string }): { type: string }
  statefulIsAuthorized(call: unknown): { type: string; response?: { decision: 'allow' | 'deny' } }
}

const cedar: Cedar = createRequire(import.meta.url)('@cedar-policy/cedar-wasm/nodejs')
const secondsEach = Number(process.env.BENCH_SECONDS ?? 3)
const callCount = 1_000

console.log('| rules | Mandate, a second | p99 | Cedar, a second | p99 | ratio |\n|---|---|---|---|---|---|')
for (const rules of [10, 100, 1_000]) {
  const cases = makeCases(rules)
  const calls = makeCalls(rules, callCount)
  const policy = compilePolicy(asDocument(cases))
  const set = `rules ${rules}`
  const parsed = cedar.preparsePolicySet(set, { staticPolicies: asCedar(cases) })
  if (parsed.type !== 'success') throw new Error(`Cedar cannot parse the policies: ${JSON.stringify(parsed)}`)
  const cedarCalls = calls.map((call) => asCedarCall(call, set))
  const ours = (n: number) => evaluate(policy, calls[n]!).effect
  const theirs = (n: number) => cedar.statefulIsAuthorized(cedarCalls[n]).response?.decision
  requireSameDecisions(ours, theirs)
  const [us, them] = [measure(ours), measure(theirs)]
  const cells = [rules, round(us.perSecond), micros(us.p99), round(them.perSecond), micros(them.p99)]
  console.log(`| ${cells.join(' | ')} | ×${round(us.perSecond / them.perSecond)} |`)
}

console.log(
  '\nThe same rules with limits, and with rules about labels\n\n| rules | Mandate, a second | p99 |\n|---|---|---|',
)
for (const rules of [10, 100, 1_000]) {
  const document = asDocumentWithSession(makeCases(rules))
  const policy = compilePolicy(document)
  const calls = makeCalls(rules, callCount).map(inSession)
  const { perSecond, p99 } = measure((n) => evaluate(policy, calls[n]!).effect)
  console.log(`| ${document.rules.length} | ${round(perSecond)} | ${micros(p99)} |`)
}

type Decide = (n: number) => unknown

function requireSameDecisions(ours: Decide, theirs: Decide): void {
  const counts: Record<string, number> = {}
  for (let n = 0; n < callCount; n++) {
    const [our, their] = [ours(n), theirs(n)]
    if (our !== their) throw new Error(`call ${n}: Mandate decides ${our}, Cedar decides ${their}`)
    counts[String(our)] = (counts[String(our)] ?? 0) + 1
  }
  if (Object.keys(counts).length < 2) throw new Error(`all calls have the same decision: ${JSON.stringify(counts)}`)
}

/** Measures decisions per second, and the 99th percentile of the time of a single decision in ms. */
function measure(decide: Decide): { perSecond: number; p99: number } {
  for (let n = 0; n < 5 * callCount; n++) decide(n % callCount)
  const started = performance.now()
  let decided = 0
  while (performance.now() - started < secondsEach * 1000) {
    for (let n = 0; n < callCount; n++) decide(n)
    decided += callCount
  }
  const perSecond = decided / ((performance.now() - started) / 1000)
  const times: number[] = []
  for (let n = 0; n < 20 * callCount; n++) {
    const before = performance.now()
    decide(n % callCount)
    times.push(performance.now() - before)
  }
  return { perSecond, p99: quantile(times, 0.99) }
}

function round(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en')
}

function micros(ms: number): string {
  return `${Number((ms * 1000).toPrecision(2)).toLocaleString('en')} µs`
}
