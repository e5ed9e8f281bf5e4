import { beforeAll, expect, it } from 'vitest'
import { joinControlPlane, type Organization, rule, type TestAgent } from './control-plane.ts'
import { type EdgeInTest, edgeFor } from './edge-in-test.ts'
import type { Json } from './middle.ts'

let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

type When = { path: string; op: string; value: unknown }

/** One rule for each effect with these conditions, over the tools `fn:<name>/<effect>`. */
const asking = (name: string, ...when: When[]) =>
  ['allow', 'deny', 'require_approval'].map((effect) =>
    rule(effect, [], { match: { tools: [`fn:${name}/${effect}`], when }, reason: `${name} says ${effect}` }),
  )

const rules = [
  ...asking('name', { path: 'agent.name', op: 'eq', value: 'agent' }),
  ...asking('renamed', { path: 'agent.name', op: 'starts_with', value: 'scribe' }),
  ...asking('status', { path: 'agent.status', op: 'in', value: ['active'] }),
  ...asking('slug', { path: 'environment.slug', op: 'eq', value: 'development' }),
  ...asking('elsewhere', { path: 'environment.slug', op: 'eq', value: 'production' }),
  ...asking('place', { path: 'environment.name', op: 'exists', value: true }),
  ...asking('unknown', { path: 'agent.framework', op: 'eq', value: 'x' }),
  ...asking('absent', { path: 'environment.is_production', op: 'exists', value: true }),
  ...asking('path', { path: 'args.path', op: 'not_starts_with', value: '/etc' }),
  ...asking('proto', { path: 'args.__proto__.path', op: 'eq', value: '/etc' }),
  ...asking('operation', { path: 'tool.operation', op: 'contains', value: 'l' }),
  ...asking(
    'both',
    { path: 'environment.slug', op: 'ne', value: 'production' },
    { path: 'args.n', op: 'lte', value: 3 },
  ),
]

const argumentsOfCalls = [
  '{}',
  '{"path":"/tmp","n":3}',
  '{"path":"/etc/x","n":4}',
  '{"path":5,"__proto__":{"path":"/etc"}}',
]
const calls = [...rules.flatMap(({ match }: Json) => match.tools), 'fn:other/tool'].flatMap((tool: string) =>
  argumentsOfCalls.map((args) => ({ tool, args: JSON.parse(args) })),
)

/** The results of `simulate` for this agent's calls, in the format of the edge's decisions. */
async function simulated({ id, policyId }: TestAgent) {
  const { name, status, environment } = (await plane.ask('GET', `/agents/${id}`)) as Json
  const facts = { agent: { id, name, status }, environment }
  const results: Json[] = []
  for (let at = 0; at < calls.length; at += 100) {
    const some = calls.slice(at, at + 100).map((call) => ({ ...call, ...facts }))
    results.push(...(await plane.ask('POST', `/policies/${policyId}/simulate`, { calls: some })).results)
  }
  return results.map(({ effect, rule_id, reason, undecided }) => ({
    verdict: effect,
    rule: rule_id,
    reason: undecided ? `${reason} (its condition on ${undecided} cannot be decided, so it applies)` : reason,
  }))
}

async function decided(edge: EdgeInTest, { id }: TestAgent) {
  const guard = edge.guardFor(id)
  const decisions = []
  for (const call of calls) decisions.push(await guard.decide(call))
  return decisions.map(({ verdict, rule: by, reason }) => ({ verdict, rule: by?.id ?? null, reason }))
}

const byTool = (verdicts: { verdict: string }[], name: string) =>
  verdicts.filter((_, index) => calls[index]?.tool.startsWith(`fn:${name}/`)).map(({ verdict }) => verdict)

it('simulate and the edge decide every call alike, before and after the agent and the environment are renamed', async () => {
  // Monitor mode gives the same verdicts without opening approvals.
  const agent = await plane.newAgent({ rules, override_mode: 'monitor' })
  const edge = await edgeFor(plane.server.url, agent)
  const before = await decided(edge, agent)
  expect(before).toEqual(await simulated(agent))
  expect(new Set(byTool(before, 'name'))).toEqual(new Set(['allow', 'deny', 'require_approval']))
  expect(new Set(byTool(before, 'renamed'))).toEqual(new Set(['deny']))

  await plane.ask('PUT', `/agents/${agent.id}`, { name: 'scribe' })
  await plane.ask('PUT', `/environments/${plane.development}`, { name: 'Lab', slug: 'lab' })
  await edge.refresh()
  const after = await decided(edge, agent)
  expect(after).toEqual(await simulated(agent))
  expect(byTool(after, 'renamed')).toEqual(byTool(before, 'name'))
  expect(byTool(after, 'slug')).toEqual(byTool(before, 'elsewhere'))
})
