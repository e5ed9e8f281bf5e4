import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, onTestFailed, onTestFinished, test, vi } from 'vitest'
import { type ControlPlane, startControlPlane } from '../acceptance/edge/control-plane.ts'
import type { Json } from '../acceptance/edge/middle.ts'
import { type FleetEdge, keepCalling, startFleetEdge, untilVerdict } from './edge-fleet.ts'
import { allowedAfter, type FreezeRecord, scopeOf } from './freeze-record.ts'

const freezes = Number(process.env.FREEZES ?? 50)
const secondsAFreeze = 120
/** How long the agents go on calling after the confirmations. */
const frozenMs = 500

const faults = ['slow', 'killed', 'killed and cut off', 'cut off', 'dead'] as const
/**
 * What happens to an edge during the freezes of a round. `killed`: with SIGKILL, and started again. `killed and cut off`: killed as soon as it
 * stops an agent, and started again without the control plane. `cut off` and `dead`: from before the freezes until after them.
 */
type Fault = 'none' | (typeof faults)[number]

const summary = { freezes: 0, calls: 0, denied: 0, confirmations: [] as number[] }
afterAll(() => {
  const { confirmations, ...counts } = summary
  const sorted = confirmations.toSorted((a, b) => a - b)
  const [p50, p99] = [0.5, 0.99].map((part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))])
  console.log(
    `freezes: ${counts.freezes}, calls: ${counts.calls}, denied calls: ${counts.denied}, confirmations: ${sorted.length}, after_ms p50: ${p50}, p99: ${p99}`,
  )
})

test(
  'freezes while edges are killed, cut off and slow: no call passes after a confirmation, only edges that are frozen confirm, and agents act again',
  async () => {
    const plane = await startControlPlane({ MANDATE_DEFAULT_PLAN: 'enterprise' })
    onTestFinished(() => plane.stop())
    const edges = await startFleet(plane)
    onTestFinished(() => Promise.all(edges.map(({ proxy }) => proxy.close())).then(() => {}))
    onTestFailed(() => console.log(edges.map(lastLines).join('\n\n')))
    const calling = keepCalling(edges)
    await untilVerdict(edges, 'allow')
    while (summary.freezes < freezes) await runRound(plane, edges)
    await calling.stop()
  },
  (freezes * secondsAFreeze + 300) * 1000,
)

async function startFleet(plane: ControlPlane): Promise<FleetEdge[]> {
  const { id: policyId } = await plane.ask('POST', '/policies', {
    name: 'all',
    override_mode: 'enforce',
    default_effect: 'allow',
  })
  const { id: other } = await plane.ask('POST', '/environments', { name: 'Other', slug: 'other' })
  const plans = [
    { name: 'three agents', environmentId: plane.development, agents: 3 },
    { name: 'one agent', environmentId: plane.development, agents: 1 },
    { name: 'own key', environmentId: plane.development, agents: 1, hasOwnKey: true },
    { name: 'two agents', environmentId: plane.development, agents: 2 },
    { name: 'other, two agents', environmentId: other, agents: 2 },
    { name: 'other, one agent', environmentId: other, agents: 1 },
  ]
  return await Promise.all(plans.map((plan) => startFleetEdge(plane, policyId, plan)))
}

/** Starts one freeze, or two that overlap, while some edges have faults. Checks the calls and the confirmations, and lifts the freezes. */
async function runRound(plane: ControlPlane, edges: readonly FleetEdge[]): Promise<void> {
  for (const edge of edges) edge.calls = []
  const chosen = new Map(
    edges.map((edge) => [edge, Math.random() < 0.5 ? 'none' : oneOf(faults)] as [FleetEdge, Fault]),
  )
  const withFault = (...some: Fault[]) => edges.filter((edge) => some.includes(chosen.get(edge) as Fault))
  const unreachable = withFault('cut off', 'dead')
  for (const edge of withFault('cut off')) edge.cutOff()
  await Promise.all(withFault('dead').map((edge) => edge.kill()))
  for (const edge of withFault('slow')) edge.proxy.latencyMs = 20 + 300 * Math.random()
  const isTwo = Math.random() < 0.3 && summary.freezes + 1 < freezes
  const started = [await freeze(plane, edges)]
  const restarts = Promise.all([
    ...withFault('killed').map((edge) => killAndStart(edge)),
    ...withFault('killed and cut off').map((edge) => killAndCutOff(edge, started)),
  ])
  if (isTwo) started.push(await freeze(plane, edges, started[0]))
  await restarts
  for (const one of started) await untilConfirmed(plane, one, withFault('none', 'slow', 'killed'))
  await pause(frozenMs)
  for (const one of started) expect(confirmedOf(one, unreachable), 'an edge without a connection confirmed').toEqual([])
  for (const one of shuffled(started)) {
    one.edges = await edgesOf(plane, one)
    one.liftAt = Date.now()
    await plane.ask('POST', `/freezes/${one.id}/lift`, { reason: 'over' })
    expect(allowedAfter(one, edges), `allowed although the edge confirmed ${JSON.stringify(one)}`).toEqual([])
    expect(confirmedOf(one, unreachable), 'an edge without a connection confirmed').toEqual([])
  }
  for (const edge of edges) edge.heal()
  await Promise.all(edges.map((edge) => edge.start()))
  await untilVerdict(edges, 'allow')
  for (const one of started) expect(allowedAfter(one, edges)).toEqual([])
  count(started, edges)
}

/** Freezes a random agent, environment or the organization, but not the target of `other`. */
async function freeze(plane: ControlPlane, edges: readonly FleetEdge[], other?: FreezeRecord): Promise<FreezeRecord> {
  const edge = oneOf(edges)
  const targets = [
    { scope: 'agent', agent_id: oneOf(edge.agentIds) },
    { scope: 'environment', environment_id: edge.environmentId },
    { scope: 'organization' },
  ].filter(({ scope }) => scope !== other?.scope)
  const target = oneOf(targets)
  const { id, created_at } = await plane.ask('POST', '/freezes', { ...target, reason: 'chaos' })
  return {
    id,
    scope: target.scope,
    ...scopeOf(target, edges),
    createdAt: Date.parse(created_at),
    edges: [],
    liftAt: Number.NaN,
  }
}

async function killAndStart(edge: FleetEdge): Promise<void> {
  await pause(500 * Math.random())
  await edge.kill()
  await edge.start()
}

/** Kills the edge at the first denied call of a frozen agent. An edge that has none is killed too. */
async function killAndCutOff(edge: FleetEdge, started: readonly FreezeRecord[]): Promise<void> {
  const isDenied = () => expect(edge.calls.some(({ verdict }) => verdict === 'deny')).toBe(true)
  const isCovered = started.some(({ agentIds }) => edge.agentIds.some((id) => agentIds.has(id)))
  if (isCovered) await vi.waitFor(isDenied, { timeout: 60_000, interval: 1 })
  await pause(oneOf([0, 5, 20, 100]))
  await edge.kill()
  edge.cutOff()
  await edge.start()
}

/** Waits until the edges that the freeze concerns have confirmed it. */
async function untilConfirmed(plane: ControlPlane, one: FreezeRecord, edges: readonly FleetEdge[]): Promise<void> {
  const awaited = edges.filter(({ credentialId }) => one.credentialIds.has(credentialId))
  await vi.waitFor(
    async () => {
      one.edges = await edgesOf(plane, one)
      const missing = awaited.filter((edge) => confirmedOf(one, [edge]).length === 0)
      if (missing.length > 0)
        throw new Error(`not confirmed: ${missing.map(({ name }) => name).join(', ')}: ${JSON.stringify(one)}`)
    },
    { timeout: 90_000, interval: 100 },
  )
}

const edgesOf = async (plane: ControlPlane, { id }: FreezeRecord): Promise<Json[]> =>
  (await plane.ask('GET', `/freezes/${id}/edges?page_size=200&include=names`)).data

/** The names of those of the edges that the control plane counts as confirmed. */
function confirmedOf({ edges: rows }: FreezeRecord, edges: readonly FleetEdge[]): string[] {
  const isConfirmed = ({ credentialId }: FleetEdge) =>
    rows.some(({ state, edge, agent }) => state === 'confirmed' && (edge ?? agent).id === credentialId)
  return edges.filter(isConfirmed).map(({ name }) => name)
}

function count(started: readonly FreezeRecord[], edges: readonly FleetEdge[]): void {
  const calls = edges.flatMap((edge) => edge.calls)
  summary.freezes += started.length
  summary.calls += calls.length
  summary.denied += calls.filter(({ verdict }) => verdict === 'deny').length
  summary.confirmations.push(...started.flatMap((one) => one.edges.flatMap(({ after_ms }) => after_ms ?? [])))
}

function lastLines({ name, running }: FleetEdge): string {
  return `${name}:\n${running?.output().split('\n').slice(-15).join('\n')}`
}

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const shuffled = <T>(list: readonly T[]): T[] => (Math.random() < 0.5 ? [...list] : list.toReversed())
