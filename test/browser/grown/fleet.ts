import type { Client, Schema } from '@mandate/sdk'
import type { Organization } from '../tenant.ts'
import type { People } from './people.ts'
import { type AgentPlan, agents, edges, type Place, type PolicyPlan, policies, warehouse } from './plan.ts'
import { RealEdge } from './real-edge.ts'

export interface FleetAgent {
  plan: AgentPlan
  agent: Schema<'Agent'>
}

/** The agents and policies, before an edge runs. */
export interface Fleet {
  policies: Map<PolicyPlan, Schema<'Policy'>>
  agents: FleetAgent[]
  environments: Record<Place, string>
}

/** Creates policies, with a few versions each, and agents. */
export async function createFleet({ api, environments }: Organization, people: People): Promise<Fleet> {
  const { id: staging } = await api.call('createEnvironment', { body: { name: 'Staging', slug: 'staging' } })
  const places = { ...environments, staging }
  const made = new Map<PolicyPlan, Schema<'Policy'>>()
  for (const plan of policies) made.set(plan, await createPolicy(api, plan))
  const owners = [people.petra, people.ines, people.kofi, people.elin, people.jonas]
  const fleet: FleetAgent[] = []
  for (const [index, plan] of agents.entries()) {
    // Nobody resolves a review of their own request, so the owner registers no agent.
    const { agent } = await people.petra.api.call('createAgent', {
      body: {
        name: plan.name,
        environment_id: places[plan.environment],
        framework: ['langgraph 0.6', 'openai-agents', 'custom', 'mastra'][index % 4],
        model: ['large', 'small'][index % 2],
        tools: [...new Set((plan.policy?.habits ?? []).map(({ tool }) => tool))],
        owner_user_id: owners[index % owners.length]?.user.id,
        ...(plan.policy && { policy_id: made.get(plan.policy)?.id }),
      },
    })
    fleet.push({ plan, agent })
  }
  return { policies: made, agents: fleet, environments: places }
}

async function createPolicy(api: Client, { name, rules }: PolicyPlan): Promise<Schema<'Policy'>> {
  const body = { name, override_mode: 'enforce', default_effect: 'deny', rules: rules.slice(0, -1) } as const
  const { id } = await api.call('createPolicy', { body })
  for (const rule of rules.slice(-1)) await api.call('createRule', { path: { policy_id: id }, body: rule })
  return await api.call('updatePolicy', {
    path: { policy_id: id },
    body: { description: `What the agents of ${name} may do.` },
  })
}

/** The agents that wait for their first approval. */
const proposed = ['returns-router', 'contract-reader', 'interview-scheduler', 'vat-return-drafter', 'slide-builder']

/** Resolves the onboarding reviews of most agents. */
export async function approveAgents(api: Client): Promise<void> {
  const { data } = await api.call('listReviews', { query: { status: 'pending', limit: 200 } })
  for (const [index, { id, agent_id }] of data.entries()) {
    const { name } = await api.call('getAgent', { path: { agent_id } })
    if (proposed.includes(name)) continue
    const comment = ['Read only, as agreed', 'Checked with the team', 'Same tools as before'][index % 3] as string
    // Only an owner approves an agent of production.
    await api.call('resolveReview', { path: { review_id: id }, body: { outcome: 'approved', comment } })
  }
}

/** Starts an edge for each place, each in its own process. */
export async function startEdges(url: string, api: Client, fleet: Fleet): Promise<Map<string, StartedEdge>> {
  const started = new Map<string, StartedEdge>()
  for (const { name, environment } of edges) {
    const body = { name, environment_id: fleet.environments[environment] }
    const { edge_key: key } = await api.call('createEdge', { body })
    const served = fleet.agents.filter(({ plan }) => plan.edge === name).map(({ agent }) => agent.id)
    started.set(name, { key, edge: await RealEdge.start(url, key, served) })
  }
  return started
}

export interface StartedEdge {
  key: string
  edge: RealEdge
}

/** Changes the policy of the warehouse without a review. What runs then differs from what people approved. */
export async function causeDrift(people: People, fleet: Fleet): Promise<void> {
  const policy = fleet.policies.get(warehouse) as Schema<'Policy'>
  const path = { policy_id: policy.id }
  const stock = policy.rules.find(({ name }) => name === 'Stock levels') as Schema<'Rule'>
  await people.petra.api.call('updateRule', {
    path: { ...path, rule_id: stock.id },
    body: { effect: 'allow', reason: 'Hall 3 pilot' },
  })
  await people.petra.api.call('createRule', {
    path,
    body: {
      name: 'Hall 3 only',
      priority: 15,
      effect: 'deny',
      match: { tools: ['mcp:wms/write-stock'], when: [{ path: 'args.hall', op: 'ne', value: '3' }] },
      reason: 'The pilot is in hall 3.',
    },
  })
}
