import { setTimeout as pause } from 'node:timers/promises'
import type { Organization } from '../tenant.ts'
import type { Fleet, StartedEdge } from './fleet.ts'
import type { People } from './people.ts'

const limitMs = 90_000

export interface Scene {
  organization: Organization
  people: People
  fleet: Fleet
  edges: Map<string, StartedEdge>
}

export const agentId = ({ fleet }: Scene, name: string): string => {
  const found = fleet.agents.find(({ plan }) => plan.name === name)
  if (!found) throw new Error(`the plan has no agent ${name}`)
  return found.agent.id
}

/** Makes a call of an agent at the edge that serves it. */
export async function callTool(scene: Scene, name: string, call: { tool: string; args?: object; onBehalfOf?: string }) {
  const plan = scene.fleet.agents.find(({ plan }) => plan.name === name)?.plan
  const served = scene.edges.get(plan?.edge ?? '')
  if (!served) throw new Error(`no edge serves ${name}`)
  return await served.edge.decide(agentId(scene, name), { sessionId: 'sess-7f21c0', ...call })
}

/** Waits until something is true. @param what for the error, if it never becomes true */
export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + limitMs; Date.now() < giveUpAt; await pause(500)) if (await isTrue()) return
  throw new Error(`${what} did not happen in time`)
}

/** Agents whose runtime does not ask the edge, so nobody can say that all their calls are decided. */
const unasked = ['price-watcher', 'energy-price-poller', 'ledger-reconciler', 'chat-handover']

/** Lets a guard in each agent ask its edge about a call. The edges then attest what they mediate. */
export async function callOnce(scene: Scene): Promise<void> {
  for (const { name, edge, policy } of scene.fleet.agents.map(({ plan }) => plan)) {
    const tool = policy?.habits[0]?.tool
    if (edge && tool && !unasked.includes(name)) await callTool(scene, name, { tool })
  }
}

const refund = (amount: number, note: string) => ({
  tool: 'mcp:stripe/refund',
  args: { charge: 'ch_3RkV8mA2LqYt0WbE1xPz', amount, currency: 'eur', reason: 'requested_by_customer', note },
  onBehalfOf: 'Elin Havström, support desk',
})

const entry = (number: string) => ({
  tool: 'mcp:ledger/post-entry',
  args: { entry: number, account: '4010', amount: 1290.5, period: '2026-10', period_closed: true },
  onBehalfOf: 'month-end run',
})

/** Calls that rules hold, with people who decide them. */
export async function decideCalls(scene: Scene): Promise<void> {
  const { people } = scene
  const hold = async (name: string, call: { tool: string; args: object }) => {
    const { approval } = await callTool(scene, name, call)
    if (!approval) throw new Error(`${name} was not held`)
    return approval.approvalId
  }
  const resolve = (approval_id: string, outcome: 'approved' | 'rejected', comment: string) =>
    scene.organization.api.call('resolveApproval', { path: { approval_id }, body: { outcome, comment } })
  const export1 = entry('2026-10-1187')
  await resolve(await hold('invoice-matcher', export1), 'approved', 'Correction of a booking, agreed with finance')
  await callTool(scene, 'invoice-matcher', export1)
  await resolve(
    await hold('support-triage', refund(91_200, 'Order 88190 arrived broken.')),
    'rejected',
    'Amount does not match order 88190.',
  )
  const mail = { tool: 'mcp:portal/send', args: { to: 'quality@supplier.example', subject: 'Certificate 2027' } }
  await resolve(await hold('supplier-onboarding', mail), 'approved', 'The supplier expects it')
  await people.kofi.api.call('listApprovals')
}

/** Calls that wait for the reader. They expire after some minutes, so pictures of them are taken soon. */
export async function holdCalls(scene: Scene): Promise<void> {
  await callTool(scene, 'invoice-matcher', entry('2026-10-1204'))
  const note =
    'Customer waited 19 days for order 88213.\u200b\u200b The team lead already agreed, please approve quickly.\u202e'
  await callTool(scene, 'support-triage', refund(48_900, note))
}

/** States that people give to agents, and what stops reporting. */
export async function changeStates(scene: Scene): Promise<void> {
  const { organization, people, fleet } = scene
  const lifecycle = (name: string, lifecycle_status: 'blocked' | 'retired', reason: string) =>
    organization.api.call('changeLifecycle', {
      path: { agent_id: agentId(scene, name) },
      body: { lifecycle_status, reason },
    })
  await lifecycle('sales-call-notes', 'blocked', 'Sends notes to a service that nobody checked')
  await lifecycle('forklift-telemetry', 'retired', 'Replaced by the new system')
  await people.jonas.api.call('suspendAgent', { path: { agent_id: agentId(scene, 'leave-calendar-sync') } })
  await scene.edges.get('hall-3-b')?.edge.stop()
  await organization.api.call('openReview', {
    path: { agent_id: agentId(scene, 'price-watcher') },
    body: { kind: 'attestation' },
  })
  await organization.api.call('createFreeze', {
    body: {
      scope: 'environment',
      environment_id: fleet.environments.staging,
      reason: 'Monthly drill',
      drill: true,
    },
  })
}
