import { readServedNames } from '@mandate/edge/state/served-names'
import { z } from 'zod'
import { onlyOne } from '../find/find-one.ts'
import { Failure } from '../invocation/failure.ts'
import { printable } from '../output/printable.ts'

const Health = z.object({ agents: z.array(z.object({ agent_id: z.string() })) })
const healthLimitMs = 10_000

interface Served {
  id: string
  name: string | undefined
}

/**
 * Finds an agent of a running edge by its id or name. Without `named`, the edge must serve only one agent.
 * @param stateDir finds the state folder of the edge, which has the names of the agents. Called only if names are needed
 * @returns the id of the agent
 * @throws Failure if the edge cannot be reached, or if it does not serve exactly one such agent
 */
export async function findServedAgent(url: string, stateDir: () => string, named: string | undefined): Promise<string> {
  const ids = await servedBy(url)
  if (named !== undefined && ids.includes(named.toLowerCase())) return named.toLowerCase()
  const [only] = ids
  if (named === undefined && only !== undefined && ids.length === 1) return only
  const names = await readServedNames(stateDir())
  const served = ids.map((id): Served => ({ id, name: names.get(id) }))
  if (named === undefined) {
    throw new Failure('the edge serves several agents; choose one with --agent', { hint: listed(served) })
  }
  const found = served.filter(({ name }) => name === named)
  if (found.length > 0) return onlyOne('agent', named, found).id
  const elsewhere =
    names.size === 0 ? '\nThe names of its agents are in its state folder: give this folder with --state.' : ''
  throw new Failure(`the edge at ${url} serves no agent ${printable(named)}`, { hint: listed(served) + elsewhere })
}

const mostListed = 20

function listed(served: readonly Served[]): string {
  const lines = served.slice(0, mostListed).map(({ id, name = '' }) => printable(`${id}  ${name}`.trimEnd()))
  const more = served.length > mostListed ? [`and ${served.length - mostListed} more`] : []
  return `it serves:\n  ${[...lines, ...more].join('\n  ')}`
}

/** The ids of the agents that the edge serves. @throws Failure if the edge cannot be reached */
async function servedBy(url: string): Promise<string[]> {
  const signal = AbortSignal.timeout(healthLimitMs)
  const hint = 'start one on this machine with mandate edge run, or name its URL with --edge'
  const response = await fetch(new URL('/healthz', url), { redirect: 'error', signal }).catch(() => {
    throw new Failure(`no edge answers at ${url}`, { hint })
  })
  const health = Health.safeParse(await response.json().catch(() => undefined))
  if (!health.success) throw new Failure(`the server at ${url} is not an edge`, { hint })
  return health.data.agents.map(({ agent_id }) => agent_id)
}
