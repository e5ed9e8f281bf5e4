import { callApi, register } from '../acceptance/call-api.ts'

export interface RoundWorld {
  tenantId: string
  /** An owner's API key. */
  key: string
  /** Edge keys. Each edge serves every agent. */
  edgeKeys: string[]
  agentIds: string[]
  /** The agents' first policy, the policy that they move to, and a policy that is deleted. */
  policies: { saved: string; other: string; doomed: string }
}

type Server = { url: string }

/** Calls the API and returns the body. @throws Error for another status */
export async function must(
  server: Server,
  wanted: number,
  ...call: Parameters<typeof callApi> extends [unknown, ...infer Rest] ? Rest : never
) {
  const { status, body } = await callApi(server, ...call)
  if (status !== wanted) throw new Error(`${call[0]} ${call[1]} answered ${status}: ${JSON.stringify(body)}`)
  return body
}

/** Creates a tenant for one round, with policies, edges, and agents under a policy with pending reviews. */
export async function makeWorld(server: Server, sizes: { edges: number; agents: number }): Promise<RoundWorld> {
  const { tenantId, credential: session } = await register(server, `owner-${crypto.randomUUID()}@example.com`)
  const { raw_key: key } = await must(server, 201, 'POST', '/api-keys', { body: { name: 'load' }, credential: session })
  const post = (path: string, body: unknown) => must(server, 201, 'POST', path, { body, credential: key })
  const { data: environments } = await must(server, 200, 'GET', '/environments', { credential: key })
  const environmentId = environments[0].id as string
  const policy = async (name: string) => (await post('/policies', { name, rules: [rule('first', 1)] })).id as string
  const [saved, other, doomed] = await Promise.all([policy('saved'), policy('other'), policy('doomed')])
  const edges = await times(sizes.edges, (n) => post('/edges', { name: `edge ${n}`, environment_id: environmentId }))
  const agents = await times(sizes.agents, (n) =>
    post('/agents', { name: `agent ${n}`, environment_id: environmentId, policy_id: saved }),
  )
  return {
    tenantId,
    key,
    edgeKeys: edges.map(({ edge_key }) => edge_key),
    agentIds: agents.map(({ agent }) => agent.id),
    policies: { saved, other, doomed },
  }
}

export function rule(name: string, priority: number) {
  return { name, priority, effect: 'deny', match: { tools: [`mcp:files/${name}`] } }
}

export function times<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => make(n)))
}
