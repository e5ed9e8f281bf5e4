import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { policyId } from '../find/find-policy.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showDone } from '../output/show.ts'
import { showCreated } from './create-agent.ts'

export async function assignPolicy(named: string, policy: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const path = { agent_id: await agentId(client, named) }
  const agent = await client.call('assignPolicy', { path, body: { policy_id: await policyId(client, policy) } })
  showDone(`${agent.name} is under the policy ${agent.policy?.name}.`, agent, options)
}

/** Changes the agent's lifecycle status. */
export async function changeLifecycle(
  named: string,
  lifecycle_status: 'blocked' | 'retired',
  { reason, ...output }: OutputOptions & { reason: string },
): Promise<void> {
  const { client } = await connect()
  const path = { agent_id: await agentId(client, named) }
  const agent = await client.call('changeLifecycle', { path, body: { lifecycle_status, reason } })
  showDone(`${agent.name} is ${agent.lifecycle_status}.`, agent, output)
}

export async function suspendOrResume(
  named: string,
  operation: 'suspendAgent' | 'resumeAgent',
  { reason, ...output }: OutputOptions & { reason?: string },
): Promise<void> {
  const { client } = await connect()
  const path = { agent_id: await agentId(client, named) }
  const agent = await client.call(operation, { path, body: { ...(reason && { reason }) } })
  showDone(`${agent.name} is ${agent.status}.`, agent, output)
}

export async function rotateKey(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  showCreated(await client.call('rotateAgentKey', { path: { agent_id: await agentId(client, named) } }), options)
}

export async function archiveAgent(named: string): Promise<void> {
  const { client } = await connect()
  const agent_id = await agentId(client, named)
  await client.call('archiveAgent', { path: { agent_id } })
  note(`${named} is archived.`)
}
