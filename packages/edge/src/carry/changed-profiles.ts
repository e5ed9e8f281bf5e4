import { mostProfiles } from '@mandate/contract/edge-push'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import { eachOf } from '../each-of.ts'
import type { AgentStanding } from './agent-standing.ts'
import { fetchProfiles, type ProfilesPage } from './fetch-profiles.ts'
import type { Instant } from './freshness.ts'
import { type ProfilesInForce, staleAnswer } from './profiles-in-force.ts'
import type { StoredProfiles } from './stored-profiles.ts'

export interface ChangedParts {
  plane: ControlPlane
  stored: StoredProfiles
  inForce: ProfilesInForce
}

/** An agent whose profile must be fetched. */
export interface Changed {
  standing: AgentStanding
  /** The hash of the profile that the heartbeat named. */
  hash: string
  /** True if the profile has the same content and a higher number, as after a drill. */
  isRenumbered: boolean
}

/** The heartbeat whose answer named the profiles. */
interface Cause {
  /** When the heartbeat was sent. */
  at: Instant
  signal?: AbortSignal | undefined
}

const fetchesAtOnce = 8
const absentProfile = 'the control plane did not send the profile that the heartbeat named'

/**
 * Fetches the profiles that heartbeats name, and puts them in force. Several profiles are fetched with one request. If such a request fails,
 * the next heartbeat fetches each profile with a request of its own, so that one profile cannot keep the others away.
 */
export class ChangedProfiles {
  private readonly parts: ChangedParts
  private hasFailed = false

  constructor(parts: ChangedParts) {
    this.parts = parts
  }

  /** Fetches the profiles of agents. Returns true if an agent now has another profile. Never throws. */
  async fetch(changed: readonly Changed[], cause: Cause): Promise<boolean> {
    const { hasFailed } = this
    this.hasFailed = false
    if (hasFailed || changed.length <= 1) return this.fetchEach(changed, cause)
    let hasNew = false
    for (let first = 0; first < changed.length; first += mostProfiles)
      if (await this.fetchTogether(changed.slice(first, first + mostProfiles), cause)) hasNew = true
    return hasNew
  }

  private async fetchTogether(changed: readonly Changed[], cause: Cause): Promise<boolean> {
    const left = new Map(changed.map((one) => [one.standing.agentId, one]))
    await eachOf(changed, fetchesAtOnce, (one) => this.markBehind(one))
    let hasNew = false
    try {
      const agents = changed.map(({ standing, isRenumbered }) => {
        // A drill raises the number of the profile and keeps its hash. The control plane does not send a profile with a known hash.
        return { agentId: standing.agentId, hash: isRenumbered ? undefined : standing.profile?.hash }
      })
      for await (const page of fetchProfiles(this.parts.plane, { agents }, cause.signal)) {
        const answered = page.agentIds.flatMap((agentId) => left.get(agentId) ?? [])
        for (const agentId of page.agentIds) left.delete(agentId)
        if (await this.takePage(answered, page, cause)) hasNew = true
      }
    } catch (error) {
      if (isUnsupported(error)) return (await this.fetchEach([...left.values()], cause)) || hasNew
      this.hasFailed = true
      for (const { standing } of left.values()) this.parts.inForce.noteRefused(standing, error)
    }
    return hasNew
  }

  private async takePage(changed: readonly Changed[], page: ProfilesPage, { at }: Cause): Promise<boolean> {
    const { inForce } = this.parts
    let hasNew = false
    await eachOf(changed, fetchesAtOnce, async ({ standing, hash: wanted }) => {
      const { agentId } = standing
      const document = page.documents.get(agentId)
      if (document === undefined) {
        const reason = page.unchanged.has(agentId) ? staleAnswer : absentProfile
        inForce.noteRefused(standing, new ControlPlaneAway(reason))
      } else if (await inForce.take(standing, { document, wanted, at })) hasNew = true
    })
    return hasNew
  }

  private async fetchEach(changed: readonly Changed[], cause: Cause): Promise<boolean> {
    let hasNew = false
    await eachOf(changed, fetchesAtOnce, async (one) => {
      await this.markBehind(one)
      if (await this.fetchOne(one, cause)) hasNew = true
    })
    return hasNew
  }

  private async fetchOne({ standing, hash: wanted, isRenumbered }: Changed, { at, signal }: Cause): Promise<boolean> {
    const { plane, inForce } = this.parts
    const { agentId, profile: held } = standing
    try {
      const path = `/edge/agents/${agentId}/mission-profile`
      // A drill raises the number of the profile and keeps its hash, so the tag would hide it.
      const ifNoneMatch = held && !isRenumbered ? `"${held.hash}"` : undefined
      const { status, body } = await plane.ask({ path, ifNoneMatch, signal })
      if (status === 304) throw new ControlPlaneAway(staleAnswer)
      return await inForce.take(standing, { document: body, wanted, at })
    } catch (error) {
      inForce.noteRefused(standing, error)
      return false
    }
  }

  /** Marks the stored profile before another one is fetched, so that the edge still knows this after a crash. */
  private async markBehind({ standing, isRenumbered }: Changed): Promise<void> {
    if (!isRenumbered) await this.parts.stored.markBehind(standing)
  }
}

/** True if the control plane refuses requests for several profiles, for example because it is an earlier version. */
const isUnsupported = (error: unknown) => error instanceof ControlPlaneRefused && error.status !== 401
