import { setTimeout as pause } from 'node:timers/promises'
import { Attestation } from '@mandate/contract/edge'
import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { Mediated } from '../guard/guard.ts'

const strength = { none: 0, partial: 1, full: 2 } as const
const gatherMs = 200
const longestBackOffMs = 60_000
const mostTools = 1000
const mostPoints = 200
/** What the control plane takes. One name that it refuses would keep it from hearing of all others, and of a weaker mode. */
const Name = Attestation.shape.tools.element

/** What all holders of an agent's guards together mediate: no more than the weakest of them says. */
export function together(claims: Iterable<Mediated>): Mediated {
  const made = [...claims].filter(({ mode }) => mode !== 'none')
  const names = (lists: string[][], most: number) =>
    [...new Set(lists.flat())]
      .filter((name) => Name.safeParse(name).success)
      .sort()
      .slice(0, most)
  return {
    mode: made.map(({ mode }) => mode).sort((a, b) => strength[a] - strength[b])[0] ?? 'none',
    tools: names(
      made.map(({ tools }) => tools),
      mostTools,
    ),
    mediationPoints: names(
      made.map(({ mediationPoints }) => mediationPoints),
      mostPoints,
    ),
  }
}

export interface AttestationParts {
  plane: ControlPlane
  log: Logger
  edgeVersion: string
  /** Over how long the first claims of an edge's agents are spread. */
  spreadMs: number
}

/** Tells the control plane what is mediated for an agent: at the start, and whenever it changes. */
export class Attestations {
  private readonly agentId: string
  private readonly parts: AttestationParts
  private readonly claims = new Map<object, Mediated>()
  private readonly stopping = new AbortController()
  private told: string | null = null
  private telling: Promise<void> | null = null

  constructor(agentId: string, parts: AttestationParts) {
    this.agentId = agentId
    this.parts = parts
  }

  claim(holder: object, mediated: Mediated | null): void {
    if (mediated) this.claims.set(holder, mediated)
    else this.claims.delete(holder)
    this.tell()
  }

  /** Sends what is mediated, unless that is what was sent last. */
  tell(): void {
    if (this.stopping.signal.aborted) return
    this.telling ??= this.send().finally(() => {
      this.telling = null
    })
  }

  async close(): Promise<void> {
    this.stopping.abort()
    await this.telling
  }

  private async send(): Promise<void> {
    const { signal } = this.stopping
    let waitMs = this.told === null ? gatherMs + Math.random() * this.parts.spreadMs : gatherMs
    while (!signal.aborted) {
      await pause(waitMs, undefined, { signal }).catch(() => {})
      const { mode, tools, mediationPoints } = together(this.claims.values())
      const now = JSON.stringify([mode, tools, mediationPoints])
      if (signal.aborted || now === this.told) return
      const { plane, edgeVersion } = this.parts
      const body = { agent_id: this.agentId, mode, tools, mediation_points: mediationPoints, edge_version: edgeVersion }
      try {
        await plane.ask({ method: 'POST', path: '/edge/attestations', body, signal })
        this.told = now
        waitMs = gatherMs
      } catch (error) {
        if (signal.aborted) return
        const refused = error instanceof ControlPlaneRefused
        this.parts.log.warn({ agent_id: this.agentId, reason: (error as Error).message }, 'attestation not taken')
        waitMs = refused ? longestBackOffMs : Math.min(Math.max(waitMs, 500) * 2, longestBackOffMs)
      }
    }
  }
}
