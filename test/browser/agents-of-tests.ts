import { randomUUID } from 'node:crypto'
import { contentHash } from '@mandate/proofs/canonical'
import { type Answer, apiKey, type Client, createClient, type Input } from '@mandate/sdk'
import { type Organization, serverUrl } from './tenant.ts'

type Rule = NonNullable<Input<'createPolicy'>['body']['rules']>[number]

/** A policy, an agent under it, and a client that acts as the agent's edge. */
export interface Scene {
  policy: Answer<'createPolicy'>
  agent: Answer<'createAgent'>['agent']
  edge: Client
}

const refunds: Rule = {
  name: 'Refunds above 200 EUR',
  priority: 10,
  effect: 'require_approval',
  match: { tools: ['mcp:stripe/refund'], when: [{ path: 'args.amount', op: 'gt', value: 20_000 }] },
  reason: 'Large refunds are a person’s decision.',
}

interface SceneOptions {
  name?: string
  environment?: 'production' | 'development'
  rules?: Rule[]
}

/** Creates a policy and an agent under it. */
export async function addScene({ api, environments }: Organization, options: SceneOptions = {}): Promise<Scene> {
  const { name = 'support-triage', environment = 'production', rules = [refunds] } = options
  const policy = await api.call('createPolicy', { body: { name: `Policy of ${name}`, rules } })
  const { agent, agent_key } = await api.call('createAgent', {
    body: { name, environment_id: environments[environment], policy_id: policy.id },
  })
  return { policy, agent, edge: createClient({ url: serverUrl(), credential: apiKey(agent_key) }) }
}

/** Asks people for a call, as an edge does. */
export async function holdCall(
  { policy, agent, edge, ...scene }: Scene & { api: Client },
  args: Record<string, unknown>,
) {
  const version = await scene.api.call('getPolicyVersion', { path: { policy_id: policy.id, version: policy.version } })
  const rule = policy.rules[0]
  return edge.call('requestApproval', {
    body: {
      approval_id: randomUUID(),
      agent_id: agent.id,
      tool: 'mcp:stripe/refund',
      args_digest: contentHash({ tool: 'mcp:stripe/refund', args }),
      arguments: args,
      policy_id: policy.id,
      policy_version: policy.version,
      policy_hash: version.content_hash,
      ...(rule && { rule_id: rule.id, rule_name: rule.name, reason: rule.reason }),
      reason: rule?.reason ?? '',
      on_behalf_of: 'Elin Havström, support desk',
      session_id: 'sess-7f21c0',
    },
  })
}
