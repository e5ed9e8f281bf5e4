import { type DenialReason, profileDenials } from '@mandate/contract/words/denial-words'
import { ageMs, type Clock, type Instant } from './freshness.ts'
import type { ActiveProfile } from './read-profile.ts'

/** The profile that decides the agent's calls, or `closed`: the reason why the edge denies every call, and the same as a word. */
export type Standing =
  | { profile: ActiveProfile; closed: null }
  | { profile: ActiveProfile | null; closed: string; because: DenialReason }

/** The reason code that callers get while the edge denies every call of an agent. */
export type ClosedCode =
  | 'key_refused'
  | 'not_served'
  | 'no_profile'
  | 'not_confirmed'
  | 'may_not_act'
  | 'policy_denies_all'

/** Why the edge denies every call of an agent, as a code and as text. */
export interface Closing {
  readonly code: ClosedCode
  readonly reason: string
}

/** Settings that decide how long an agent's profile stays in force without a confirmation by the control plane. */
export interface Lapse {
  missedBeats: number
  keptWhenAway: 'all' | ReadonlySet<string>
  /** The heartbeat interval that the control plane last set. */
  intervalMs(): number
  clock: Clock
}

/**
 * The current profile of an agent, and whether the edge denies all of the agent's calls. Each change is one assignment, so a
 * call sees either the old profile or the new profile, never a mixture.
 */
export class AgentStanding {
  readonly agentId: string
  /** When the control plane last confirmed that this profile is the current one. Null if that is unknown. */
  confirmed: Instant | null = null
  private held: ActiveProfile | null = null
  private refused: (Closing & { because: DenialReason }) | null = null
  /** Only what was requested at this time or later ends the refusal. Null if anything newer than the refusal ends it. */
  private refusedFrom: Instant | null = null
  private fault: string | null = null
  private stopCount = 0
  private behind = false
  private readonly lapse: Lapse
  private readonly listeners = new Set<() => void>()
  private lastClosed: string | null = 'closed'

  constructor(agentId: string, lapse: Lapse) {
    this.agentId = agentId
    this.lapse = lapse
  }

  get profile(): ActiveProfile | null {
    return this.held
  }

  get isRefused(): boolean {
    return this.refused !== null
  }

  /** Grows with each stop of the agent, because it is frozen or may not be served. It may grow more than once for one stop. */
  get stops(): number {
    return this.stopCount
  }

  get isBehind(): boolean {
    return this.behind
  }

  /**
   * After how many missed heartbeats the edge denies the agent's calls. Null if the agent's profile stays in force without a time
   * limit while the control plane cannot be reached.
   */
  get closesAfterBeats(): number | null {
    return this.held !== null && this.isKept(this.held) ? null : this.lapse.missedBeats
  }

  now(): Standing {
    const profile = this.held
    if (this.refused !== null) return { profile, closed: this.refused.reason, because: this.refused.because }
    if (profile === null) {
      return { profile, closed: `no policy has been received yet${this.because()}`, because: 'no_profile' }
    }
    if (this.isLapsed(profile)) {
      const { missedBeats } = this.lapse
      const many = missedBeats === 1 ? 'a heartbeat was missed' : `${missedBeats} heartbeats in a row were missed`
      return { profile, closed: `the policy was not confirmed: ${many}${this.because()}`, because: 'not_confirmed' }
    }
    return { profile, closed: null }
  }

  /** Returns why the edge denies every call of the agent, or null if some calls may pass. */
  closing(): Closing | null {
    const { profile, closed } = this.now()
    if (this.refused !== null) return { code: this.refused.code, reason: this.refused.reason }
    if (closed !== null) return { code: profile === null ? 'no_profile' : 'not_confirmed', reason: closed }
    if (profile.policyId === null) return { code: 'may_not_act', reason: mayNotActReason(profile) }
    if (!profile.deniesAll) return null
    return { code: 'policy_denies_all', reason: 'the policy denies every call' }
  }

  /** Remembers that the control plane confirmed the profile. `at` is the time at which the heartbeat was sent. */
  confirm(at: Instant): void {
    // The request was sent before the agent was stopped, so its answer may not know of the stop.
    if (this.refusedFrom !== null && at.monotonicMs < this.refusedFrom.monotonicMs) return
    this.confirmed = at
    this.refused = null
    this.refusedFrom = null
    this.fault = null
    this.behind = false
    this.tellChange()
  }

  hold(profile: ActiveProfile, at: Instant | null): void {
    const changed = this.held?.hash !== profile.hash
    this.held = profile
    if (at) this.confirm(at)
    if (changed) this.tell()
  }

  /**
   * Remembers that the control plane announced a different profile for the agent. From then on,
   * `MANDATE_EDGE_KEEP_WHEN_AWAY` no longer keeps the old profile in force.
   */
  fallBehind(): void {
    this.behind = true
  }

  /** Remembers that this edge may no longer serve the agent. Earlier confirmations of the agent's profile no longer count. */
  refuse(reason: string, code: 'key_refused' | 'not_served' = 'not_served'): void {
    this.deny({ reason, code, because: code })
  }

  /** Denies every call of the agent, because it is frozen. The next confirmation of its profile ends this. */
  freeze(): void {
    this.deny({ reason: frozenReason, code: 'may_not_act', because: 'frozen' })
  }

  private deny(refused: NonNullable<AgentStanding['refused']>): void {
    this.stopCount++
    this.refused = refused
    this.refusedFrom = null
    this.confirmed = null
    this.tellChange()
  }

  /**
   * Denies every call of the agent, because it is frozen. Only a confirmation whose request was sent at `from` or later ends this: the answer to an
   * earlier request may not know the freeze.
   */
  stop(from: Instant): void {
    this.freeze()
    this.refusedFrom = from
  }

  /** Remembers why the profile could not be confirmed. Later denials include this reason. */
  noteFault(fault: string): void {
    this.fault = fault
  }

  /** Tells the listeners that the pins of tools changed. */
  tellPins(): void {
    this.tell()
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Notifies the listeners if the edge started or stopped denying every call. Returns whether it notified them. */
  tellChange(): boolean {
    const { closed } = this.now()
    if ((closed === null) === (this.lastClosed === null)) return false
    this.lastClosed = closed
    this.tell()
    return true
  }

  private isLapsed(profile: ActiveProfile): boolean {
    const { missedBeats, intervalMs, clock } = this.lapse
    if (this.isKept(profile)) return false
    if (this.confirmed === null) return true
    return ageMs(this.confirmed, clock()) > missedBeats * intervalMs()
  }

  private isKept({ policyId }: ActiveProfile): boolean {
    const { keptWhenAway } = this.lapse
    return !this.behind && (keptWhenAway === 'all' || (policyId !== null && keptWhenAway.has(policyId)))
  }

  private because(): string {
    return this.fault === null ? '' : `; the last fault: ${this.fault}`
  }

  private tell(): void {
    for (const listener of this.listeners) listener()
  }
}

/** The reason that callers get if the profile contains no policy. */
export function mayNotActReason({ deniedBecause, status }: ActiveProfile): string {
  const known = deniedBecause === null ? undefined : mayNotActReasons.get(deniedBecause)
  return known ?? `the agent (${status}) may not act now, or has no policy to act under`
}

/** The reason of `mayNotActReason` as a word. */
export function mayNotActWord({ deniedBecause }: Pick<ActiveProfile, 'deniedBecause'>): DenialReason {
  return profileDenials.find((word) => word === deniedBecause) ?? 'may_not_act'
}

/** The reason that callers get while a freeze stops the agent. */
export const frozenReason = 'the agent is frozen: ask a manager or an owner to lift the freeze'

const mayNotActReasons: ReadonlyMap<string, string> = new Map([
  ['archived', 'the agent is archived'],
  ['suspended', 'the agent is suspended: ask a manager to resume it'],
  ['frozen', frozenReason],
  ['blocked', 'the agent is blocked: a review that approves it lets it act again'],
  ['retired', 'the agent is retired'],
  ['not_approved', 'not approved yet: ask a manager to resolve its onboarding review'],
  ['not_approved_in_production', 'not approved yet: ask an owner to resolve its onboarding review'],
  ['no_policy', 'the agent has no policy: put it under one'],
])
