import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { decideAt } from '../acceptance/edge/edge-process.ts'
import type { Json } from '../acceptance/edge/middle.ts'
import type { FleetEdge } from './edge-fleet.ts'
import type { FaultyToolServer, ToolName } from './faulty-tool-server.ts'
import type { McpAgent } from './guarded-edges.ts'
import { type Kind, keyOf, type Outcome, type Party, type RuleLedger } from './rule-ledger.ts'

/** A program that asks an edge for decisions, with the token of the first agent of the edge. */
export interface DecideCaller extends Party {
  edge: FleetEdge
}

export interface Workplace {
  ledger: RuleLedger
  tools: FaultyToolServer
  agents: readonly McpAgent[]
  asking: DecideCaller
}

const callLimitMs = 3_000
const loopsOfAgent = 2

/** Lets every agent call tools without an end, until `stop`. */
export function keepWorking(place: Workplace) {
  const stopping = new AbortController()
  const { signal } = stopping
  const loops = place.agents.flatMap((agent) => [
    list(place, agent, signal),
    ...Array.from({ length: loopsOfAgent }, () => work(place, agent, signal)),
  ])
  loops.push(ask(place, signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

/**
 * Lists the tools until it is stopped, so that the edge sees changed definitions. Each agent has only one such loop. With two loops, an older list
 * could arrive after a newer one.
 */
async function list({ tools }: Workplace, agent: McpAgent, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const { change } = tools
    const listed = await agent
      .client()
      ?.listTools(undefined, { timeout: callLimitMs })
      .catch(() => null)
    // While the edge is closed, it answers with an empty list and does not ask the server.
    if (listed?.tools.length && tools.change === change) agent.seenChange = change
    await pause(100 + 100 * Math.random())
  }
}

async function work(place: Workplace, agent: McpAgent, stopping: AbortSignal): Promise<void> {
  const call = (kind: Kind, session: string, given: Given = {}) => callTool(place, agent, kind, session, given)
  // An agent makes a call that waits for a person again with the same arguments, so that only one approval is open.
  const again = { id: randomUUID() }
  const calm = randomUUID()
  const tainted: string[] = []
  const steps = [
    () => call('pay', calm),
    () => call('note', calm),
    () => call('note with secret', calm, { text: `the key ${place.ledger.secrets.accessKey}` }),
    () => call('quote', calm),
    async () => {
      const session = randomUUID()
      await call('send', session)
      if (!(await call('fetch', session))) return
      tainted.push(session)
      await call('send again', session, again)
    },
    // Also a session that read before the last restart of the edge.
    async () => {
      const session = tainted[Math.floor(tainted.length * Math.random())]
      if (session !== undefined) await call('send again', session, again)
    },
  ]
  for (let n = 0; !stopping.aborted; n++) {
    await steps[n % steps.length]?.()
    await pause(20 + 20 * Math.random())
  }
}

const toolOf: Record<Kind, ToolName> = {
  pay: 'pay',
  note: 'note',
  'note with secret': 'note',
  fetch: 'fetch',
  send: 'send',
  'send again': 'send',
  quote: 'quote',
}

interface Given {
  text?: string
  /** The id of a call that is made again. */
  id?: string
}

/** Makes a call and notes its answer. Returns whether it passed. */
async function callTool({ ledger }: Workplace, agent: McpAgent, kind: Kind, session: string, given: Given) {
  const client = agent.client()
  if (client === null) return false
  const { text = '' } = given
  const id = ledger.issue(agent, kind, session, given.id)
  const params = { name: toolOf[kind], arguments: { call: id, text }, _meta: { 'mandate/session_id': session } }
  try {
    const result = (await client.callTool(params, { timeout: callLimitMs })) as Json
    const said = result.content.map(({ text }: { text?: string }) => text ?? '').join('')
    ledger.answer(id, result.isError !== true, said)
    return result.isError !== true
  } catch (error) {
    ledger.answer(id, null, (error as Error).message)
    return false
  }
}

async function ask({ ledger, asking }: Workplace, stopping: AbortSignal): Promise<void> {
  for (let n = 0; !stopping.aborted; n++) {
    await pause(30 + 30 * Math.random())
    const { running } = asking.edge
    if (running === null) continue
    const kind = n % 2 === 0 ? 'note' : 'note with secret'
    const id = ledger.issue(asking, kind, '')
    const text = kind === 'note' ? '' : `the key ${ledger.secrets.accessKey}`
    const answer = await decideAt(running, { tool: 'fn:mail/post', args: { call: id, text } }).catch(() => null)
    if (answer === null) ledger.answer(id, null, '')
    else if (answer.status !== 200) ledger.answer(id, false, JSON.stringify(answer.body))
    else ledger.answer(id, answer.body.verdict === 'allow' || !answer.body.enforced, answer.body.reason)
  }
}

type Wanted = [Party, Kind, Outcome]

/** What every agent has to get again after a fault. */
export function everyOutcome({ agents, asking }: Workplace): Wanted[] {
  const passing: Kind[] = ['pay', 'note', 'fetch', 'send', 'quote']
  const stopped: Kind[] = ['note with secret', 'send again']
  return [
    ...agents.flatMap((agent) => [
      ...passing.map((kind): Wanted => [agent, kind, 'passed']),
      ...stopped.map((kind): Wanted => [agent, kind, 'stopped by the rule']),
    ]),
    [asking, 'note', 'passed'],
    [asking, 'note with secret', 'stopped by the rule'],
  ]
}

const againLimitMs = 90_000

/** Waits until each of the outcomes comes again. @throws Error if something passed that the rules stop, or if an outcome is missing for too long */
export async function untilAgain({ ledger }: Workplace, wanted: readonly Wanted[]): Promise<void> {
  const before = new Map(ledger.counts)
  for (const from = performance.now(); ; await pause(20)) {
    expect(ledger.violations).toEqual([])
    const missing = wanted.filter(([{ name }, kind, outcome]) => {
      const key = keyOf(name, kind, outcome)
      return ledger.counts.get(key) === before.get(key)
    })
    if (missing.length === 0) return
    if (performance.now() - from < againLimitMs) continue
    const said = missing.map(([{ name }, kind, outcome]) => {
      return `${keyOf(name, kind, outcome)} (last answer: ${ledger.last.get(`${name}: ${kind}`)})`
    })
    throw new Error(`missing outcomes:\n${said.join('\n')}`)
  }
}
