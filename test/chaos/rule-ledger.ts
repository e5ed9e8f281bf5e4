import { randomUUID } from 'node:crypto'
import type { OnCall, ToolName } from './faulty-tool-server.ts'

/** What an agent tries. `send again`: a write to others in a session that has read untrusted content. */
export type Kind = 'pay' | 'note' | 'note with secret' | 'fetch' | 'send' | 'send again' | 'quote'

/** An agent behind an edge, as the ledger sees it. */
export interface Party {
  readonly name: string
  /** Number of the newest change of the definition of `quote` that the agent's edge could see. Null if it saw none. */
  seenChange: number | null
}

interface Issued {
  party: Party
  kind: Kind
  session: string
  /** Whether the agent had received untrusted content in the session before it made the call. */
  isTainted: boolean
  /** `seenChange` of the agent when it made the call. */
  seenChange: number | null
}

export interface Secrets {
  card: string
  accessKey: string
  /** Every secret that the credential ever had. */
  credentials: string[]
}

/** What the edge says of a call that a rule stops. */
const stops: Partial<Record<Kind, RegExp>> = {
  'note with secret': /content rules: the arguments match/,
  'send again': /it read what others wrote|Held for a person's approval/,
  quote: /another definition of the tool than the pinned one/,
}

/** Notes every call, answer and arrival at the tool server, and finds what the rules should have stopped. */
export class RuleLedger {
  readonly violations: string[] = []
  /** How many calls passed, were stopped by their rule, were stopped for another reason, or got no answer: by agent and kind. */
  readonly counts = new Map<string, number>()
  /** The last answer by agent and kind. */
  readonly last = new Map<string, string>()
  readonly secrets: Secrets
  private readonly issued = new Map<string, Issued>()
  private readonly tainted = new Set<string>()

  constructor(secrets: Secrets) {
    this.secrets = secrets
  }

  /** Notes a call that an agent is about to make. Returns its id, which is one of its arguments. */
  issue(party: Party, kind: Kind, session: string, id: string = randomUUID()): string {
    const { seenChange } = party
    this.issued.set(id, { party, kind, session, isTainted: this.tainted.has(session), seenChange })
    return id
  }

  /** Notes a call that reached the tool server. */
  readonly arrive: OnCall = (tool: ToolName, { call, text }, change) => {
    const issued = this.issued.get(call)
    if (!issued) return void this.violations.push(`an unknown call of ${tool} reached the tool server`)
    const found = (what: string) => this.violations.push(`${what} reached the tool server: ${JSON.stringify(issued)}`)
    if (text.includes(this.secrets.accessKey)) found('a call with the secret')
    if (tool === 'send' && issued.isTainted) found('an outward write after an untrusted read')
    if (change !== null && issued.seenChange === change && tool === 'quote')
      found('a call of the tool whose definition changed')
  }

  /** Notes what an agent or a log got. */
  hear(where: string, text: string): void {
    const { card, credentials } = this.secrets
    if (text.includes(card)) this.violations.push(`${where} has the number of the card`)
    if (credentials.some((secret) => text.includes(secret))) this.violations.push(`${where} has the credential`)
  }

  /** Notes the answer to a call. `isPassed` is null if there was none. */
  answer(id: string, isPassed: boolean | null, text: string): void {
    const { party, kind, session, isTainted } = this.issued.get(id) as Issued
    this.last.set(`${party.name}: ${kind}`, text)
    this.count(party, kind, outcomeOf(kind, isPassed, text))
    if (isPassed !== true) return
    if (kind === 'fetch') this.tainted.add(session)
    const found = (what: string) => this.violations.push(`${what} passed at ${party.name}: ${text}`)
    if (kind === 'note with secret') found('a call with the secret')
    if (kind === 'send again' && isTainted) found('an outward write after an untrusted read')
    if (kind === 'pay' && !text.includes('[redacted:Payment card number]')) found('an answer that nobody redacted')
  }

  /** How many calls had each outcome so far. */
  totals(): Record<Outcome, number> {
    const total = (outcome: Outcome) =>
      [...this.counts].reduce((sum, [key, count]) => sum + (key.endsWith(`: ${outcome}`) ? count : 0), 0)
    return Object.fromEntries(outcomes.map((outcome) => [outcome, total(outcome)])) as Record<Outcome, number>
  }

  private count({ name }: Party, kind: Kind, outcome: Outcome): void {
    const key = keyOf(name, kind, outcome)
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }
}

function outcomeOf(kind: Kind, isPassed: boolean | null, text: string): Outcome {
  if (isPassed === null) return 'unanswered'
  if (isPassed) return 'passed'
  return stops[kind]?.test(text) ? 'stopped by the rule' : 'stopped otherwise'
}

export const outcomes = ['passed', 'stopped by the rule', 'stopped otherwise', 'unanswered'] as const
export type Outcome = (typeof outcomes)[number]

export const keyOf = (name: string, kind: Kind, outcome: Outcome) => `${name}: ${kind}: ${outcome}`
