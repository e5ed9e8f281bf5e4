import type { DeclaredTool, ToolReport } from '@mandate/contract/tools'
import { mostReportedTools } from '@mandate/contract/tools'
import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { Definition } from '../guard/tool-definition.ts'
import { BackOff } from '../report/back-off.ts'

interface ReportParts {
  plane: ControlPlane
  log: Logger
  /** A clock in milliseconds that never goes back. */
  now(): number
}

/** A definition is reported again after this time, if the server still declares it. */
const repeatMs = 6 * 60 * 60_000
/** Definitions that are seen within this time are reported together. */
const gatherMs = 100
const mostReportCharacters = 700_000
/** Maximum number of characters of the definitions that wait. Later definitions are reported when they are seen again. */
const mostWaitingCharacters = 16 << 20
/** Maximum number of definitions of one tool that wait. */
const mostOfOneTool = 4
/** Maximum number of tools that a line of the log names. */
const mostNamed = 20
/** Maximum number of tools whose last report is remembered. */
const mostRemembered = 50_000

/** After this many failures of a report by its contents, each of its tools is sent alone. */
const failuresTogether = 2
/** A tool that failed this often is set aside until its next report is due, or until its definition changes. */
const mostFailures = 5

interface Waiting {
  /** Agent, server and tool. */
  readonly tool: string
  readonly agentId: string
  readonly server: string
  readonly definition: Definition
  readonly characters: number
  /** How often a report with this definition failed, and other requests did not have to. */
  failures: number
}

/** True if the control plane failed at this request. Otherwise it could not be reached, or could not answer any request. */
const isByContents = (error: unknown) => error instanceof ControlPlaneAway && error.status === 500
/** True if one tool of a report can be the reason for the refusal of all of them. */
const isForOneTool = ({ status }: ControlPlaneRefused) => status === 400 || status === 413

/**
 * Reports to the control plane what the tool servers of each agent declare: when a definition is first seen, when it changes, and every 6 hours
 * while it is seen. Reports are sent in the background, and never delay a call.
 */
export class ToolReports {
  private readonly parts: ReportParts
  private readonly stopping = new AbortController()
  private readonly backOff = new BackOff()
  /** By agent, server and tool: what was reported last, and when. */
  private readonly reported = new Map<string, { hash: string; at: number }>()
  /** By agent, server, tool and hash. */
  private readonly waiting = new Map<string, Waiting>()
  /** How many definitions of each tool wait, by agent, server and tool. */
  private readonly waitingOf = new Map<string, number>()
  private characters = 0
  private timer: NodeJS.Timeout | null = null
  private sending: Promise<void> | null = null

  constructor(parts: ReportParts) {
    this.parts = parts
  }

  /** Notes what a server declares for tools of an agent. */
  note(agentId: string, server: string, definitions: readonly Definition[]): void {
    if (this.stopping.signal.aborted) return
    for (const definition of definitions) this.add(agentId, server, definition)
    if (this.waiting.size === 0 || this.timer !== null || this.sending !== null) return
    this.timer = setTimeout(() => {
      this.timer = null
      this.sending = this.sendAll().finally(() => {
        this.sending = null
      })
    }, gatherMs)
    this.timer.unref()
  }

  /** Ends the reports. What waits is dropped: the next start reports it. */
  async close(): Promise<void> {
    this.stopping.abort()
    if (this.timer) clearTimeout(this.timer)
    await this.sending
  }

  private add(agentId: string, server: string, definition: Definition): void {
    const tool = `${agentId} ${server} ${definition.declared.name}`
    const key = `${tool} ${definition.hash}`
    const earlier = this.waiting.get(key)
    if (earlier) this.drop(key, earlier)
    // A server may change the definition of a tool several times before the report. All of them are reported in their order, or the first one and the
    // last few. So a server cannot hide one definition behind another one.
    const isAlone = !this.waitingOf.has(tool)
    const last = this.reported.get(tool)
    if (isAlone && last?.hash === definition.hash && this.parts.now() - last.at < repeatMs) return
    const characters = JSON.stringify(definition.declared).length + key.length
    if (this.characters + characters > mostWaitingCharacters) return
    if ((this.waitingOf.get(tool) ?? 0) >= mostOfOneTool) this.dropSecond(tool)
    this.waiting.set(key, { tool, agentId, server, definition, characters, failures: 0 })
    this.waitingOf.set(tool, (this.waitingOf.get(tool) ?? 0) + 1)
    this.characters += characters
  }

  private dropSecond(tool: string): void {
    const [, second] = [...this.waiting].filter(([, waiting]) => waiting.tool === tool)
    if (second) this.drop(...second)
  }

  private drop(key: string, { tool, characters }: Waiting): void {
    this.waiting.delete(key)
    const left = (this.waitingOf.get(tool) ?? 0) - 1
    if (left > 0) this.waitingOf.set(tool, left)
    else this.waitingOf.delete(tool)
    this.characters -= characters
  }

  private async sendAll(): Promise<void> {
    const { signal } = this.stopping
    while (this.waiting.size > 0 && !signal.aborted) {
      const batch = this.nextBatch()
      this.backOff.begin()
      try {
        await this.send(batch, signal)
        this.backOff.succeed()
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof ControlPlaneRefused) this.noteRefusal(batch, error)
        else {
          this.noteFailure(batch, error)
          await this.backOff.wait(this.backOff.fail(error), signal)
        }
      }
    }
  }

  private noteRefusal(batch: ReadonlyMap<string, Waiting>, error: ControlPlaneRefused): void {
    if (batch.size === 1 || !isForOneTool(error)) this.giveUp(batch, error)
    else for (const waiting of batch.values()) waiting.failures = failuresTogether
  }

  /** Moves the report behind those of other servers. So a server whose report fails again and again does not stop them. */
  private noteFailure(batch: ReadonlyMap<string, Waiting>, error: unknown): void {
    for (const [key, waiting] of batch) {
      if (isByContents(error)) waiting.failures++
      if (waiting.failures >= mostFailures) this.giveUp(new Map([[key, waiting]]), error as Error)
      else if (this.waiting.get(key) === waiting) this.moveBack(key, waiting)
    }
  }

  /** Puts all waiting definitions of a tool at the end of the queue, in their order. */
  private moveBack(key: string, waiting: Waiting): void {
    const isAlone = this.waitingOf.get(waiting.tool) === 1
    const moved = isAlone
      ? [[key, waiting] as const]
      : [...this.waiting].filter(([, { tool }]) => tool === waiting.tool)
    for (const [each, one] of moved) {
      this.waiting.delete(each)
      this.waiting.set(each, one)
    }
  }

  /** Returns the first definitions that wait, all of one agent and one server. A batch has at most one definition of each tool. */
  private nextBatch(): Map<string, Waiting> {
    const batch = new Map<string, Waiting>()
    const tools = new Set<string>()
    let characters = 0
    for (const [key, waiting] of this.waiting) {
      const [first] = batch.values()
      if (tools.has(waiting.tool)) continue
      if (first && (first.agentId !== waiting.agentId || first.server !== waiting.server)) continue
      const isAlone = waiting.failures >= failuresTogether
      if (first && isAlone) continue
      characters += waiting.characters
      if (first && characters > mostReportCharacters) break
      batch.set(key, waiting)
      tools.add(waiting.tool)
      if (isAlone || batch.size === mostReportedTools) break
    }
    return batch
  }

  private async send(batch: ReadonlyMap<string, Waiting>, signal: AbortSignal): Promise<void> {
    const [first] = batch.values()
    if (!first) return
    const tools: DeclaredTool[] = [...batch.values()].map(({ definition }) => definition.declared)
    const body: ToolReport = { agent_id: first.agentId, server: first.server, tools }
    await this.parts.plane.ask({ method: 'POST', path: '/edge/tools', body, signal })
    this.settle(batch)
  }

  /** A refused report would be refused again. It is made again after 6 hours, or when the definition changes. */
  private giveUp(batch: ReadonlyMap<string, Waiting>, error: Error): void {
    const [first] = batch.values()
    const names = [...batch.values()].map(({ definition }) => definition.declared.name)
    this.parts.log.warn(
      { agent_id: first?.agentId, server: first?.server, tools: names.slice(0, mostNamed), reason: error.message },
      'the control plane did not take a report of the tools of a server',
    )
    this.settle(batch)
  }

  private settle(batch: ReadonlyMap<string, Waiting>): void {
    for (const [key, waiting] of batch) {
      // The same definition may have come again while the report was sent.
      if (this.waiting.get(key) === waiting) this.drop(key, waiting)
      this.reported.delete(waiting.tool)
      this.reported.set(waiting.tool, { hash: waiting.definition.hash, at: this.parts.now() })
    }
    for (const key of this.reported.keys()) {
      if (this.reported.size <= mostRemembered) break
      this.reported.delete(key)
    }
  }
}
