import { createHash, randomUUID } from 'node:crypto'
import type { Client, Schema } from '@mandate/sdk'
import { apiClient } from '../../packages/server/src/testing/api-client.ts'
import { newDecision } from '../../packages/server/src/testing/new-decision.ts'
import { SigningEdge } from '../../packages/server/src/testing/signing-edge.ts'

interface Place {
  api: Client
  environments: { production: string }
}

interface AskedCall {
  tool: string
  args: Record<string, unknown>
  rule?: number
  /** Who acts for whom. */
  chain?: object[]
}

export interface Fleet {
  agent: Schema<'Agent'>
  policy: Schema<'Policy'>
  contentHash: string
  edge: SigningEdge
  edgeName: string
  /** The fields of a decision of the agent by its policy. */
  call: (rest?: object) => object
  /** Reports what a tool server declares. */
  reportTools: (server: string, tools: object[]) => Promise<void>
  /** Asks people for a call. Returns the id of the approval. */
  ask: (call: AskedCall) => Promise<string>
}

export const refundRules: Schema<'NewRule'>[] = [
  { name: 'Never close accounts', priority: 10, effect: 'deny', match: { tools: ['mcp:crm/delete-*'] } },
  {
    name: 'Refunds above 200 EUR',
    priority: 20,
    effect: 'require_approval',
    reason: 'Refunds above 200 EUR need a person.',
    match: { tools: ['mcp:stripe/refund'], when: [{ path: 'args.amount', op: 'gt', value: 20_000 }] },
  },
  {
    name: 'Refunds',
    priority: 30,
    effect: 'allow',
    match: { tools: ['mcp:stripe/refund'], when: [{ path: 'args.currency', op: 'in', value: ['eur', 'sek', 'nok'] }] },
  },
  {
    name: 'Read the desk',
    priority: 50,
    effect: 'allow',
    match: { tools: ['mcp:crm/get-*', 'mcp:mail/read', 'mcp:files/read'] },
  },
]

/** An agent of production with a policy, and an edge that signs its decisions. */
export async function newFleet(url: string, { api, environments }: Place, name = 'support-triage'): Promise<Fleet> {
  const environment_id = environments.production
  const policy = await api.call('createPolicy', {
    body: { name: 'Support', environment_id, override_mode: 'enforce', rules: refundRules },
  })
  const { agent } = await api.call('createAgent', { body: { name, environment_id } })
  await api.call('assignPolicy', { path: { agent_id: agent.id }, body: { policy_id: policy.id } })
  const version = { policy_id: policy.id, version: policy.version }
  const { content_hash: contentHash } = await api.call('getPolicyVersion', { path: version })
  const edgeName = 'cloud-1'
  const { edge_key: key } = await api.call('createEdge', { body: { name: edgeName, environment_id } })
  const edgeApi = apiClient(url, key)
  const edge = await SigningEdge.start(edgeApi)
  const call = (rest: object = {}) =>
    newDecision(agent.id, { policy_id: policy.id, policy_version: policy.version, policy_hash: contentHash, ...rest })
  const ask: Fleet['ask'] = async ({ tool, args, rule, chain }) => {
    const approval_id = randomUUID()
    const asking = rule === undefined ? undefined : policy.rules[rule]
    const body = {
      approval_id,
      agent_id: agent.id,
      tool,
      args_digest: createHash('sha256').update(canonical({ args, tool })).digest('hex'),
      arguments: args,
      policy_id: policy.id,
      policy_version: policy.version,
      policy_hash: contentHash,
      reason: asking?.reason || 'No rule matches.',
      ...(asking && { rule_id: asking.id, rule_name: asking.name }),
      ...(chain && { chain }),
    }
    const { status, body: answer } = await edgeApi.post('/edge/approvals', body)
    if (status >= 300) throw new Error(JSON.stringify(answer))
    return approval_id
  }
  const reportTools: Fleet['reportTools'] = async (server, tools) => {
    const { status, body: answer } = await edgeApi.post('/edge/tools', { server, tools })
    if (status >= 300) throw new Error(JSON.stringify(answer))
  }
  return { agent, policy, contentHash, edge, edgeName, call, ask, reportTools }
}

/** Canonical for objects of strings and numbers. */
const canonical = (value: unknown): string =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? `{${Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`)
        .join(',')}}`
    : JSON.stringify(value)
