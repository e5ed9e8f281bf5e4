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
/**
 * A valid name of a tool or a mediation point (a place where calls are controlled, such as `mcp:files`). Invalid names are left
 * out of an attestation, because the control plane refuses a whole attestation if one name is invalid.
 */
const Name = Attestation.shape.tools.element

/** Combines the attestations of all guards of an agent. The result claims no more control than the weakest guard has. */
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
  /** The agents of an edge send their first attestations at different times, spread over this many milliseconds. */
  spreadMs: number
}

/** Reports to the control plane which tools of an agent the edge controls, at the start and after every change. */
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

  /** Sends the attestation, unless it equals the last attestation that was sent. */
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
        this.parts.log.warn(
          { agent_id: this.agentId, reason: (error as Error).message },
          'cannot send the attestation of the mediated tools to the control plane; the edge tries again later',
        )
        waitMs = refused ? longestBackOffMs : Math.min(Math.max(waitMs, 500) * 2, longestBackOffMs)
      }
    }
  }
}
