import { type ContentVerdict, nothingToDo } from '@mandate/content/judge'
import type { Logger } from 'pino'
import type { AgentStanding } from '../carry/agent-standing.ts'
import type { ActiveProfile } from '../carry/read-profile.ts'
import type { ContentGuard } from '../content/content-guard.ts'
import type { CheckedResult, Decision, SentCheck } from '../guard/guard.ts'
import type { Definition } from '../guard/tool-definition.ts'
import type { EnvironmentPins } from '../inventory/environment-pins.ts'
import { isKnownServer, isKnownTool, labelsOfServer, labelsOfTools, serverOf } from '../inventory/inventory-entry.ts'
import { isMcpTool } from '../inventory/refuse-tool.ts'
import { SeenLabels } from '../inventory/seen-labels.ts'
import type { WrittenNumbers } from '../json/written-numbers.ts'
import { LogLimit } from '../log-limit.ts'
import type { Spool } from '../report/spool.ts'
import { type Sessions, TooManyLabels } from '../sessions/sessions.ts'
import type { PinnedCall } from './check-pins.ts'
import { type Basis, resultRecordOf } from './records.ts'
import { SentCalls } from './sent-calls.ts'

interface ResultParts {
  spool: Spool
  content: ContentGuard
  sessions: Sessions
  pins: Pick<EnvironmentPins, 'current'>
  log: Logger
}

/** Applies content rules to the results of an agent's calls, and records what they find with the decision of the call. */
export class CallResults {
  private readonly standing: AgentStanding
  private readonly parts: ResultParts
  /** For each decision, what it was based on. */
  private readonly bases = new WeakMap<Decision, Basis>()
  private readonly sent = new SentCalls()
  private readonly seen = new SeenLabels()
  /** Short repeated values in which the content rules of the profile with this hash found nothing, as JSON. */
  private readonly clean = { hash: '', values: new Set<string>() }

  private readonly logged = { unknownCall: new LogLimit(), manyLabels: new LogLimit(), lostLabels: new LogLimit() }

  constructor(standing: AgentStanding, parts: ResultParts) {
    this.standing = standing
    this.parts = parts
  }

  note(decision: Decision, basis: Basis): void {
    this.bases.set(decision, basis)
  }

  /** Forgets a decision whose call is not sent. */
  forget(decision: Decision): void {
    this.bases.delete(decision)
  }

  basisOf(decision: Decision): Basis | undefined {
    return this.bases.get(decision)
  }

  /** See `Guard.noteResult`. */
  receive(decision: Decision): string | null {
    const basis = this.bases.get(decision)
    if (!basis) return null
    const mayHaveMore = this.parts.pins.current === 'unknown' && !isMcpTool(basis.tool) && serverOf(basis.tool) !== null
    if (mayHaveMore && basis.mode === 'enforce') return unknownLabels
    return this.writeLabels(new Map([[basis.session, this.labelsOf(basis)]]), basis.mode)
  }

  /** See `Guard.noteSent`. */
  noteSent(server: string, decision: Decision): void {
    const basis = this.bases.get(decision)
    if (basis) this.sent.note(server, basis)
  }

  /** See `Guard.noteText`. */
  receiveText(server: string, mayBeEarlier: boolean): string | null {
    const { bases, isComplete } = this.sent.to(server)
    const mode = this.standing.now().profile?.mode ?? 'enforce'
    const pins = this.parts.pins.current
    const mayBeOfAny = mayBeEarlier || !isComplete
    if (mayBeOfAny && pins === 'unknown' && mode === 'enforce') return unknownLabels
    const ofServer = mayBeOfAny ? labelsOfServer(pins, server) : none
    const labels = new Map<string, Set<string>>([[this.standing.agentId, new Set(ofServer)]])
    for (const basis of bases) {
      const { session } = basis
      labels.set(session, new Set([...(labels.get(session) ?? ofServer), ...this.labelsOf(basis)]))
    }
    return this.writeLabels(labels, mode)
  }

  private labelsOf({ call, toolLabels }: Basis): Set<string> {
    return new Set([...toolLabels, ...this.toolLabels(call)])
  }

  /**
   * Returns the labels that the result of a call gives. A resource and a prompt give those of all tools of their server. A tool of a server
   * behind the edge that is not in the inventory yet has the labels of the definition that the edge has seen.
   */
  toolLabels({ tool, otherTools = [], definition }: PinnedCall): Set<string> {
    const pins = this.parts.pins.current
    const tools = [tool, ...otherTools]
    const labels = new Set(labelsOfTools(pins, tools))
    for (const one of tools) {
      const server = isMcpTool(one) ? null : serverOf(one)
      const isNew = definition !== undefined && isMcpTool(one) && !isKnownTool(pins, one)
      const ofServer =
        server !== null && (isKnownServer(pins, server) ? labelsOfServer(pins, server) : this.seen.ofServer(server))
      const further = ofServer || (isNew ? this.seen.of(one) : [])
      for (const label of further) labels.add(label)
    }
    return labels
  }

  /** Notes what a server declares. See `Guard.noteTools`. */
  noteTools(server: string, definitions: readonly Definition[]): void {
    this.seen.note(server, definitions)
  }

  private writeLabels(labels: ReadonlyMap<string, ReadonlySet<string>>, mode: 'enforce' | 'monitor'): string | null {
    const { sessions, log } = this.parts
    try {
      for (const [session, given] of labels) if (given.size > 0) sessions.add(session, given)
      return null
    } catch (error) {
      const times = this.logged.lostLabels.next()
      if (times !== null)
        log.error(
          { agent_id: this.standing.agentId, reason: (error as Error).message, times },
          'the labels of a session cannot be written, so the edge withholds the result: check the disk and the number of labels',
        )
      if (mode !== 'enforce') return null
      return error instanceof TooManyLabels ? error.message : 'the edge cannot write the labels of the session'
    }
  }

  /** See `Guard.inspectsResults`. */
  areInspected(): boolean {
    const content = this.standing.now().profile?.content ?? null
    return content !== null && (content.fault !== null || content.compiled.results !== null)
  }

  /** See `Guard.maskLine`. */
  maskLine(line: string, isCut = false): string {
    return this.parts.content.maskLine(this.standing.now().profile?.content ?? null, line, isCut)
  }

  /** See `Guard.inspectsArguments`. */
  areArgumentsInspected(): boolean {
    const content = this.standing.now().profile?.content ?? null
    return content !== null && (content.fault !== null || content.compiled.arguments !== null)
  }

  /** See `Guard.checkSent`. */
  async checkSent(decision: Decision | null, value: unknown, isRepeated = false): Promise<SentCheck> {
    const text = isRepeated ? JSON.stringify(value) : null
    for (;;) {
      const { profile } = this.standing.now()
      const hash = profile?.hash
      const isCurrent = () => this.standing.now().profile?.hash === hash
      if (profile === null) return { denied: null, holds: isCurrent }
      if (text !== null && this.clean.hash === profile.hash && this.clean.values.has(text))
        return { denied: null, holds: isCurrent }
      const call = { tool: '', args: {}, unchangeable: [value] }
      const { verdict } = await this.parts.content.inspectArguments(this.standing.agentId, profile.content, call)
      if (!isCurrent()) continue
      if (text !== null && verdict === nothingToDo && !profile.content?.fault) this.noteClean(text, profile.hash)
      const lost = verdict.matches.length > 0 ? await this.record(decision, profile, verdict) : null
      const isStopped = profile.mode === 'enforce' && verdict.effect !== 'allow'
      const denied = profile.mode === 'enforce' ? (profile.content?.fault ?? lost) : null
      return { denied: denied ?? (isStopped ? verdict.reason : null), holds: isCurrent }
    }
  }

  private noteClean(text: string, hash: string): void {
    const { clean } = this
    if (clean.hash !== hash || clean.values.size >= mostClean) clean.values.clear()
    clean.hash = hash
    if (text.length <= longestClean) clean.values.add(text)
  }

  /** See `Guard.checkResult`. */
  async check(
    decision: Decision | null,
    value: unknown,
    numbers?: WrittenNumbers,
    wasClosed = false,
  ): Promise<CheckedResult> {
    for (;;) {
      const { profile, closed } = this.standing.now()
      if (closed !== null && !wasClosed) return { denied: closed }
      // Without a profile there are no content rules to apply. The value has only what a closed edge lets pass.
      if (profile === null) return { denied: null, value }
      const { verdict, inspection } = await this.parts.content.inspectResult(
        this.standing.agentId,
        profile.content,
        value,
        numbers,
      )
      // The content rules may have changed while a long result was inspected.
      if (this.standing.now().profile?.hash !== profile.hash) continue
      const isEnforced = profile.mode === 'enforce'
      const fault = profile.content?.fault ?? null
      if (fault !== null) return isEnforced ? { denied: fault } : { denied: null, value }
      if (verdict.matches.length === 0) return { denied: null, value }
      const lost = await this.record(decision, profile, verdict)
      if (!isEnforced) return { denied: null, value }
      if (lost !== null) return { denied: lost }
      if (verdict.effect !== 'allow') return { denied: verdict.reason }
      return { denied: null, value: inspection.redacted === undefined ? value : inspection.redacted }
    }
  }

  /**
   * Records what was found in a text, before the text passes. A text that belongs to no known call has no record. Returns why the session
   * cannot have the labels; null if it has them.
   */
  private async record(
    decision: Decision | null,
    profile: ActiveProfile,
    verdict: ContentVerdict,
  ): Promise<string | null> {
    const { spool, sessions, log } = this.parts
    const { agentId } = this.standing
    const basis = decision && this.bases.get(decision)
    const session = basis?.session ?? agentId
    const before = [...sessions.use(session)].sort()
    const lost = this.addLabels(session, verdict.labels)
    if (!decision || !basis) {
      const times = this.logged.unknownCall.next()
      if (times !== null)
        log.warn({ agent_id: agentId, times }, 'content rules match a text that belongs to no known call')
      return lost
    }
    await spool.append(resultRecordOf({ agentId, decision, basis, profile, verdict, labels: before }))
    return lost
  }

  private addLabels(session: string, labels: readonly string[]): string | null {
    try {
      this.parts.sessions.add(session, labels)
      return null
    } catch (error) {
      if (!(error instanceof TooManyLabels)) throw error
      const times = this.logged.manyLabels.next()
      if (times !== null)
        this.parts.log.warn({ session, reason: error.message, times }, 'a session has too many labels')
      return error.message
    }
  }
}

const none: ReadonlySet<string> = new Set()
const unknownLabels = 'the edge does not know the labels of the tools of the server, which the text may belong to'
const mostClean = 200
const longestClean = 500
