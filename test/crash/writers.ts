import { setTimeout as pause } from 'node:timers/promises'
import { callApi } from '../acceptance/call-api.ts'
import { rule } from '../concurrency/world.ts'

/** Everything a writer needs to know; `url` is the server's as it runs now. */
export interface Target {
  url: string
  key: string
  edgeKey: string
  environmentId: string
  agentId: string
  policyIds: string[]
}

/** What the server said it stored. */
export interface Acknowledged {
  agents: string[]
  versions: { policyId: string; version: number; mark: string }[]
  decisions: string[]
}

export interface Writers {
  acknowledged: Acknowledged
  /** Answers by status; `none` for a call that got no answer. */
  answers: Record<string, number>
  /** Answers that a client cannot act on: any 5xx but 503, a 503 that does not say when to try again, an odd refusal. */
  unexpected: string[]
  slowestMs: number
  stop(): Promise<void>
}

type Send = (method: string, path: string, credential: string, body: unknown) => Promise<Answer | null>
type Answer = Awaited<ReturnType<typeof callApi>>

const atOnce = 4
const pauseAfterFailureMs = 20

/** Saves policies, creates agents and sends decisions, several at a time and without pause, until stopped. */
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
  // Seldom, for a policy of thousands of rules would make each save slow.
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
