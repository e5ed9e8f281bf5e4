import type { OwnServer } from '../start-server.ts'
import { newOrganization } from '../tenant.ts'
import { agentId, callOnce, changeStates, decideCalls, type Scene, until } from './events.ts'
import { approveAgents, causeDrift, createFleet, type Fleet, startEdges } from './fleet.ts'
import { type PastAgent, recordPast } from './history.ts'
import { gatherPeople } from './people.ts'
import { createRecords, setPlan } from './records.ts'
import { declareTools } from './tools.ts'

const days = 7

/** An organization with much data, and what its pictures show. */
export interface GrownOrganization extends Scene {
  reportId: string
  /** Stops the edges. */
  stop: () => Promise<void>
}

/** Makes an organization with people, agents, edges and a past, over the API and with real edges. */
export async function growOrganization(
  { url, folder }: OwnServer,
  say: (text: string) => void,
): Promise<GrownOrganization> {
  say('an organization with much data: people, policies and agents')
  const organization = await newOrganization('m.lindqvist@norrvik.example')
  await setPlan(organization, 'enterprise', folder)
  const people = await gatherPeople(url, organization)
  const fleet = await createFleet(organization, people)
  await approveAgents(organization.api)
  say('edges, in processes of their own')
  const edges = await startEdges(url, organization.api, fleet)
  const stop = async () => {
    for (const { edge } of edges.values()) await edge.stop()
  }
  try {
    say(`decisions of ${days} days`)
    for (const [name, { key }] of edges)
      await recordPast(url, key, await pastAgents(organization.api, fleet, name), days)
    const scene: Scene = { organization, people, fleet, edges }
    say('what happens today: drift, held calls, a silent edge')
    await callOnce(scene)
    await causeDrift(people, fleet)
    await settleDrift(scene)
    await decideCalls(scene)
    await changeStates(scene)
    await declareTools(url, organization.api, edges)
    const reportId = await createRecords(organization, people, fleet)
    const overview = () => organization.api.call('getOverview')
    await until('a silent edge', async () => (await overview()).edges.silent > 0)
    await until('coverage', async () => (await overview()).agents.by_execution_coverage_state.covered > 20)
    return { ...scene, reportId, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The agents of an edge, with the version of the policy that they ran. */
async function pastAgents(api: Scene['organization']['api'], fleet: Fleet, edge: string): Promise<PastAgent[]> {
  const served: PastAgent[] = []
  for (const { plan, agent } of fleet.agents) {
    const policy = plan.edge === edge && plan.policy && fleet.policies.get(plan.policy)
    if (!policy) continue
    const path = { policy_id: policy.id, version: policy.version }
    const { content_hash: contentHash } = await api.call('getPolicyVersion', { path })
    const ruleIds = policy.rules.map(({ id }) => id)
    served.push({ id: agent.id, plan, policyId: policy.id, version: policy.version, contentHash, ruleIds })
  }
  return served
}

/** People approve the drift of all agents but one. */
async function settleDrift(scene: Scene): Promise<void> {
  const { api } = scene.organization
  const drifting = agentId(scene, 'warehouse-forecaster')
  await until('drift', async () => (await api.call('getOverview')).agents.drifting >= 4)
  const { data } = await api.call('listReviews', { query: { status: 'pending', limit: 200 } })
  for (const { id, agent_id, kind } of data) {
    if (kind !== 'change' || agent_id === drifting) continue
    await api.call('resolveReview', {
      path: { review_id: id },
      body: { outcome: 'approved', comment: 'The pilot of hall 3' },
    })
  }
}
