import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { vi } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../../packages/server/src/testing/fault-proxy.ts'
import type { ControlPlane } from '../acceptance/edge/control-plane.ts'
import { stateFolder } from '../acceptance/edge/edge-in-test.ts'
import { decideAt, type EdgeProcess, startEdgeProcess } from '../acceptance/edge/edge-process.ts'

/** A call of an agent that its edge answered. The times are of the machine's clock, which the server uses too. */
export interface Call {
  agentId: string
  beganAt: number
  endedAt: number
  verdict: string
}

/** An edge process behind a proxy, and what its agents did there. It keeps its state folder across restarts. */
export interface FleetEdge {
  name: string
  environmentId: string
  agentIds: readonly string[]
  /** Id of the edge, or of the agent whose own key it uses. */
  credentialId: string
  proxy: FaultProxy
  /** Null while the process is dead. */
  running: EdgeProcess | null
  /** The answered calls of the round. */
  calls: Call[]
  start(): Promise<void>
  kill(): Promise<void>
  /** Lets no byte pass in either direction. */
  cutOff(): void
  /** Ends `cutOff` and the latency. */
  heal(): void
}

interface EdgePlan {
  name: string
  environmentId: string
  agents: number
  hasOwnKey?: boolean
  stateDir?: string
  /** More environment variables for the process. */
  settings?: Record<string, string>
}

const startTries = 3

/** Creates the agents and the credential of an edge, and starts the edge. */
export async function startFleetEdge(plane: ControlPlane, policyId: string, plan: EdgePlan): Promise<FleetEdge> {
  const { name, environmentId, agents: count, hasOwnKey = false } = plan
  const body = { environment_id: environmentId, policy_id: policyId }
  const agents = await Promise.all(
    Array.from({ length: count }, (_, at) => plane.ask('POST', '/agents', { ...body, name: `${name} ${at}` })),
  )
  const agentIds = agents.map(({ agent }) => agent.id as string)
  const ownKey = { key: agents[0].agent_key, id: agentIds[0] as string }
  const { key, id } = hasOwnKey ? ownKey : await newEdgeKey(plane, name, environmentId)
  const proxy = await proxyTo(plane)
  const stateDir = plan.stateDir ?? (await stateFolder())
  const agent = { id: agentIds[0] as string, key, policyId }
  const edge: FleetEdge = {
    name,
    environmentId,
    agentIds,
    credentialId: id,
    proxy,
    running: null,
    calls: [],
    async start() {
      const settings = { ...plan.settings, MANDATE_EDGE_AGENTS: agentIds.join(',') }
      for (let tries = 1; edge.running === null; tries++) {
        try {
          edge.running = await startEdgeProcess(`http://127.0.0.1:${proxy.port}`, agent, stateDir, { settings })
        } catch (error) {
          // An edge that never reached the control plane does not know its signing key yet.
          if (tries === startTries) throw error
        }
      }
    },
    async kill() {
      const { running } = edge
      edge.running = null
      if (running === null) return
      running.child.kill('SIGKILL')
      if (running.child.signalCode === null) await new Promise((resolve) => running.child.once('exit', resolve))
    },
    cutOff: () => cutOff(proxy),
    heal: () => heal(proxy),
  }
  await edge.start()
  return edge
}

/** Starts a proxy between an edge and the control plane. */
export async function proxyTo({ server }: ControlPlane): Promise<FaultProxy> {
  const { hostname, port } = new URL(server.url)
  return await startFaultProxy({ host: hostname, port: Number(port) })
}

/** Lets no byte pass in either direction. */
export function cutOff(proxy: FaultProxy): void {
  proxy.isBlackHole = true
  proxy.silence()
}

/** Ends `cutOff` and the latency. */
export function heal(proxy: FaultProxy): void {
  proxy.latencyMs = 0
  if (!proxy.isBlackHole) return
  proxy.isBlackHole = false
  proxy.reset()
}

async function newEdgeKey(plane: ControlPlane, name: string, environmentId: string) {
  const { edge, edge_key: key } = await plane.ask('POST', '/edges', { name, environment_id: environmentId })
  return { id: edge.id as string, key: key as string }
}

/** Lets every agent of the edges call a tool without a pause, until `stop`. */
export function keepCalling(edges: readonly FleetEdge[]) {
  const stopping = new AbortController()
  const callers = edges.flatMap((edge) => edge.agentIds.map((id) => callAll(edge, id, stopping.signal)))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(callers)
    },
  }
}

async function callAll(edge: FleetEdge, agentId: string, stopping: AbortSignal): Promise<void> {
  let [token, of] = ['', null as EdgeProcess | null]
  while (!stopping.aborted) {
    const { running } = edge
    if (running === null) {
      await pause(20)
      continue
    }
    if (of !== running) token = await readFile(join(running.stateDir, 'tokens', agentId), 'utf8')
    of = running
    const beganAt = Date.now()
    const answer = await decideAt({ url: running.url, token }, { tool: 'mcp:files/read', args: {} }).catch(() => null)
    // The process was killed before it answered.
    if (answer !== null) edge.calls.push({ agentId, beganAt, endedAt: Date.now(), verdict: answer.body.verdict })
    await pause(20 + 20 * Math.random())
  }
}

/** Waits until every agent of the edges gets this verdict for a call that begins now or later. */
export async function untilVerdict(edges: readonly FleetEdge[], verdict: string): Promise<void> {
  const from = Date.now()
  const isAnswered = (edge: FleetEdge, agentId: string) =>
    edge.calls.some((call) => call.agentId === agentId && call.beganAt >= from && call.verdict === verdict)
  await vi.waitFor(
    () => {
      const missing = edges.flatMap((edge) =>
        edge.agentIds.filter((agentId) => !isAnswered(edge, agentId)).map((agentId) => `${edge.name} ${agentId}`),
      )
      if (missing.length > 0) throw new Error(`no call got the verdict ${verdict}: ${missing.join(', ')}`)
    },
    { timeout: 120_000, interval: 50 },
  )
}
