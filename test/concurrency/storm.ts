import { callApi } from '../acceptance/call-api.ts'
import { type RoundWorld, rule, times } from './world.ts'

type Server = { url: string }
type Call = (method: string, path: string, body?: unknown) => ReturnType<typeof callApi>

/** An acknowledged save: its version, and a text that its snapshot must contain. */
export interface SavedAs {
  version: number
  mark: string
}

export interface Storm {
  saves: SavedAs[]
  /** For each pair of concurrent resolutions of one review, how many got 200. */
  resolutionsWon: number[]
  /** Responses that no rule of the interface explains. */
  unexpected: string[]
}

const savers = 50

/**
 * Runs concurrently: saves of one policy, heartbeats of all edges, evidence, double resolutions of reviews, moves and archivals of
 * agents.
 */
export async function unleash(server: Server, world: RoundWorld): Promise<Storm> {
  const storm: Storm = { saves: [], resolutionsWon: [], unexpected: [] }
  const call = callerOf(server, world.key, storm)
  const [third, half] = [Math.ceil(world.agentIds.length / 3), Math.ceil(world.agentIds.length / 2)]
  const saving = { over: false }
  await Promise.all([
    times(savers, (n) => save(call, world.policies.saved, n, storm)).finally(() => {
      saving.over = true
    }),
    ...world.edgeKeys.map((key, n) => beatUntil(callerOf(server, key, storm), world, n, saving)),
    proveUntil(callerOf(server, world.edgeKeys[0] as string, storm), world, saving),
    resolveTwice(call, storm, saving),
    ...world.agentIds
      .slice(0, third)
      .flatMap((id) => [
        call('DELETE', `/agents/${id}`),
        call('POST', `/agents/${id}/assign-policy`, { policy_id: world.policies.other }),
      ]),
    ...world.agentIds
      .slice(third, half)
      .flatMap((id) => [
        call('POST', `/agents/${id}/assign-policy`, { policy_id: world.policies.doomed }),
        call('DELETE', `/agents/${id}`),
        call('DELETE', `/agents/${id}`),
      ]),
    call('DELETE', `/policies/${world.policies.doomed}`),
  ])
  await settle(server, world, storm)
  return storm
}

function callerOf(server: Server, credential: string, storm: Storm): Call {
  return async (method, path, body) => {
    const answer = await callApi(server, method, path, { body, credential })
    // Conflicts such as 404 and 409 are expected. These statuses are not. An edge gets 503 for a conflict with another transaction.
    const isPassing = answer.status === 503 && path.startsWith('/edge/')
    if ((answer.status >= 500 && !isPassing) || [400, 401, 403, 405, 413, 415, 429].includes(answer.status)) {
      storm.unexpected.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    return answer
  }
}

/** Makes one kind of save after the other: restores a version, or changes a field, adds a rule and changes the rule. */
async function save(call: Call, policyId: string, n: number, storm: Storm): Promise<void> {
  const path = `/policies/${policyId}`
  if (n % 10 === 0) {
    const restored = await call('POST', `${path}/versions/1/restore`)
    if (restored.status === 200) storm.saves.push({ version: restored.body.version, mark: 'first' })
  }
  const description = `by saver ${n}`
  const fields = await call('PUT', path, { description })
  if (fields.status === 200) storm.saves.push({ version: fields.body.version, mark: description })
  const added = await call('POST', `${path}/rules`, rule(`rule-${n}`, 1000 + n))
  if (added.status !== 201) return
  storm.saves.push({ version: added.body.policy_version, mark: `rule-${n}` })
  const reason = `reason ${n}`
  const changed = await call('PUT', `${path}/rules/${added.body.id}`, { reason })
  if (changed.status === 200) storm.saves.push({ version: changed.body.policy_version, mark: reason })
}

/** Sends heartbeats about all agents. Each heartbeat reports the profiles that the previous response named. */
async function beatUntil(call: Call, world: RoundWorld, n: number, done: { over: boolean }): Promise<void> {
  let running: { agent_id: string; policy_id?: string; policy_version?: number }[] = world.agentIds.map((id) => ({
    agent_id: id,
  }))
  for (let seq = 1; !done.over || seq < 3; seq++) {
    const { status, body } = await call('POST', '/edge/heartbeat', beatOf(n, seq, running))
    if (status === 200) running = body.agents.map(asRunning)
  }
}

/** Attests each agent, and reports calls that passed no edge in every second report. */
async function proveUntil(call: Call, { agentIds }: RoundWorld, done: { over: boolean }): Promise<void> {
  for (let turn = 0; !done.over || turn < 2; turn++) {
    for (const agent_id of agentIds) {
      const claim = { mode: 'full', tools: ['mcp:files/read'], mediation_points: ['mcp'], edge_version: '1.0.0' }
      await call('POST', '/edge/attestations', { agent_id, ...claim })
      const [window_start, window_end] = [2, 1].map((seconds) => new Date(Date.now() - seconds * 1000).toISOString())
      const counts = { actions_seen: 1, actions_mediated: 1, unmediated_seen: turn % 2 }
      await call('POST', '/edge/execution-stats', { agent_id, window_start, window_end, ...counts })
    }
  }
}

const beatOf = (n: number, seq: number, agents: unknown[]) => ({
  instance_id: `edge ${n}`,
  seq,
  edge_version: '1.0.0',
  agents,
})

const asRunning = (told: { agent_id: string; policy_id: string | null; policy_version: number | null }) => ({
  agent_id: told.agent_id,
  ...(told.policy_id && { policy_id: told.policy_id, policy_version: told.policy_version }),
})

/** Resolves each pending review twice at the same moment, until the saves end. */
async function resolveTwice(call: Call, storm: Storm, done: { over: boolean }): Promise<void> {
  for (let turn = 0; !done.over || turn < 2; turn++) {
    const { body } = await call('GET', '/reviews?status=pending&limit=20')
    const pairs = body.data.map(async ({ id }: { id: string }) => {
      const outcomes = ['approved', turn % 3 === 0 ? 'rejected' : 'approved']
      const answers = await Promise.all(
        outcomes.map((outcome) => call('POST', `/reviews/${id}/resolve`, { outcome, comment: 'at once' })),
      )
      return answers.filter(({ status }) => status === 200).length
    })
    storm.resolutionsWon.push(...(await Promise.all(pairs)))
  }
}

/** Sends final heartbeats, so that the stored drift and findings match what runs, and approves the agents that drift. */
async function settle(server: Server, world: RoundWorld, storm: Storm): Promise<void> {
  const call = callerOf(server, world.edgeKeys[0] as string, storm)
  let agents: unknown[] = world.agentIds.map((id) => ({ agent_id: id }))
  for (let seq = 1_000_000; seq < 1_000_003; seq++) {
    const { body } = await call('POST', '/edge/heartbeat', beatOf(0, seq, agents))
    agents = body.agents.map(asRunning)
    if (seq === 1_000_001) await resolveTwice(callerOf(server, world.key, storm), storm, { over: true })
  }
}
