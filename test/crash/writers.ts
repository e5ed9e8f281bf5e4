import { setTimeout as pause } from 'node:timers/promises'
import { callApi } from '../acceptance/call-api.ts'
import { rule } from '../concurrency/world.ts'

/** The server, credentials and ids that writers use. `url` changes if the server restarts. */
export interface Target {
  url: string
  key: string
  edgeKey: string
  environmentId: string
  agentId: string
  policyIds: string[]
}

/** Writes that the server acknowledged. */
export interface Acknowledged {
  agents: string[]
  versions: { policyId: string; version: number; mark: string }[]
  decisions: string[]
}

export interface Writers {
  acknowledged: Acknowledged
  /** Number of responses by status. `none` counts calls without a response. */
  answers: Record<string, number>
  /** Responses that a client cannot handle: a 5xx other than 503, a 503 without Retry-After, or an unexpected refusal. */
  unexpected: string[]
  slowestMs: number
  stop(): Promise<void>
}

type Send = (method: string, path: string, credential: string, body: unknown) => Promise<Answer | null>
type Answer = Awaited<ReturnType<typeof callApi>>

const atOnce = 4
const pauseAfterFailureMs = 20

/** Saves policies, creates agents and sends decisions concurrently and without pauses, until it is stopped. */
export function startWriters(target: Target): Writers {
  const stop = new AbortController()
  const acknowledged: Acknowledged = { agents: [], versions: [], decisions: [] }
  const writers: Writers = {
    acknowledged,
    answers: {},
    unexpected: [],
    slowestMs: 0,
    async stop() {
      stop.abort()
      await working
    },
  }
  const send: Send = async (method, path, credential, body) => {
    const started = performance.now()
    const answer = await callApi(target, method, path, { credential, body }).catch(() => null)
    const status = String(answer?.status ?? 'none')
    writers.answers[status] = (writers.answers[status] ?? 0) + 1
    writers.slowestMs = Math.max(writers.slowestMs, performance.now() - started)
    if (answer && !isExpected(answer)) {
      writers.unexpected.push(`${method} ${path}: ${status} ${JSON.stringify(answer.body)}`)
    }
    if (!answer || answer.status >= 500) await pause(pauseAfterFailureMs)
    return answer
  }
  const keepOn = async (turn: () => Promise<void>) => {
    while (!stop.signal.aborted) await turn()
  }
  const working = Promise.all(
    Array.from({ length: atOnce }, () => [
      keepOn(() => createAgent(send, target, acknowledged)),
      keepOn(() => savePolicy(send, target, acknowledged)),
      keepOn(() => sendDecisions(send, target, acknowledged)),
    ]).flat(),
  )
  return writers
}

function isExpected({ status, headers }: Answer): boolean {
  return status < 300 || (status === 503 && headers.get('retry-after') !== null)
}

async function createAgent(send: Send, { key, environmentId, policyIds }: Target, { agents }: Acknowledged) {
  const body = { name: 'made under load', environment_id: environmentId, policy_id: policyIds[0] }
  const answer = await send('POST', '/agents', key, body)
  if (answer?.status === 201) agents.push(answer.body.agent.id)
}

let saves = 0

async function savePolicy(send: Send, { key, policyIds }: Target, { versions }: Acknowledged): Promise<void> {
  const n = ++saves
  const policyId = policyIds[n % policyIds.length] as string
  const mark = `save ${n}`
  // Adds a rule only rarely, because thousands of rules would make every save slow.
  const saved =
    n % 20 === 0
      ? await send('POST', `/policies/${policyId}/rules`, key, { ...rule(`rule-${n}`, n), reason: mark })
      : await send('PUT', `/policies/${policyId}`, key, { description: mark })
  if (saved?.status === 200) versions.push({ policyId, version: saved.body.version, mark })
  if (saved?.status === 201) versions.push({ policyId, version: saved.body.policy_version, mark })
}

const decisionsACall = 20

async function sendDecisions(send: Send, { edgeKey, agentId }: Target, { decisions }: Acknowledged): Promise<void> {
  const ids = Array.from({ length: decisionsACall }, () => crypto.randomUUID())
  const sent = ids.map((id) => ({
    decision_id: id,
    agent_id: agentId,
    tool: 'mcp:files/read',
    effect: 'allow',
    mode: 'enforce',
    policy_version: 1,
    args_digest: 'digest',
    at: new Date().toISOString(),
  }))
  const answer = await send('POST', '/edge/decisions', edgeKey, { decisions: sent })
  if (answer?.status === 202) decisions.push(...ids)
}
