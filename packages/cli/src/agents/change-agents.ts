import type { Client } from '@mandate/sdk/client'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { policyId } from '../find/find-policy.ts'
import { Failure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showDone } from '../output/show.ts'

/** Maximum number of agents of one request. */
const mostAtOnce = 200

type Change = { action: 'assign_policy'; policy_id: string } | { action: 'suppress' }

interface Result {
  agent: string
  agent_id: string
  error?: string | undefined
}

/** Assigns a policy to several agents. @throws Failure if an agent was not changed; the others are changed */
export async function assignPolicyToAll(policy: string, named: string[], options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const results = await changeAll(client, named, { action: 'assign_policy', policy_id: await policyId(client, policy) })
  const changed = results.filter(({ error }) => error === undefined).length
  showDone(`${countOf(changed)} under the policy ${policy}.`, results, options)
  failIfAny(results)
}

/**
 * Removes discovered agents from the queue of agents that wait for a governance decision.
 * @throws Failure if an agent was not changed; the others are changed
 */
export async function suppressAgents(named: string[]): Promise<void> {
  const { client } = await connect()
  const [only] = named
  if (only !== undefined && named.length === 1) {
    await client.call('suppressAgent', { path: { agent_id: await agentId(client, only) } })
    return noteSuppressed(only)
  }
  const results = await changeAll(client, named, { action: 'suppress' })
  for (const { agent, error } of results) {
    if (error === undefined) noteSuppressed(agent)
  }
  failIfAny(results)
}

const noteSuppressed = (agent: string) => note(`${agent} is suppressed: it no longer waits for a governance decision.`)

async function changeAll(client: Client, named: string[], change: Change): Promise<Result[]> {
  const names = new Map<string, string>()
  for (const name of named) names.set(await agentId(client, name), name)
  const ids = [...names.keys()]
  const results: Result[] = []
  for (let from = 0; from < ids.length; from += mostAtOnce) {
    const agent_ids = ids.slice(from, from + mostAtOnce)
    const { data } = await client.call('changeAgents', { body: { ...change, agent_ids } })
    results.push(...data.map((result) => ({ agent: names.get(result.agent_id) ?? result.agent_id, ...result })))
  }
  return results
}

function failIfAny(results: Result[]): void {
  const failed = results.filter(({ error }) => error !== undefined)
  if (failed.length === 0) return
  throw new Failure(`not changed: ${failed.map(({ agent, error }) => `${agent} (${error})`).join(', ')}`)
}

const countOf = (count: number) => (count === 1 ? '1 agent is' : `${count} agents are`)
