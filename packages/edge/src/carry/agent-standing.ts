import { ageMs, type Clock, type Instant } from './freshness.ts'
import type { ActiveProfile } from './read-profile.ts'

/** Either a profile to decide by, or why everything is denied. */
export type Standing = { profile: ActiveProfile; closed: null } | { profile: ActiveProfile | null; closed: string }

/** Why everything is denied, for programs. */
export type ClosedCode =
  | 'key_refused'
  | 'not_served'
  | 'no_profile'
  | 'not_confirmed'
  | 'may_not_act'
  | 'policy_denies_all'

/** Why everything is denied: for programs, and in words. */
export interface Closing {
  readonly code: ClosedCode
  readonly reason: string
}

/** When an agent's profile stops counting without word from the control plane. */
export interface Lapse {
  missedBeats: number
  keptWhenAway: 'all' | ReadonlySet<string>
  /** As the control plane last told it. */
  intervalMs(): number
  clock: Clock
}

/** What an agent is held to just now. Each change is one assignment, so a call sees the old profile or the new one. */
export class AgentStanding {
  readonly agentId: string
  /** When the control plane last said, or would have, that the profile held is the current one. */
  confirmed: Instant | null = null
  private held: ActiveProfile | null = null
  private refused: Closing | null = null
  private fault: string | null = null
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

  get isBehind(): boolean {
    return this.behind
  }

  now(): Standing {
    const profile = this.held
    if (this.refused !== null) return { profile, closed: this.refused.reason }
    if (profile === null) return { profile, closed: `no policy has been received yet${this.because()}` }
    if (this.isLapsed(profile)) {
      const many = `${this.lapse.missedBeats} heartbeats in a row were missed`
      return { profile, closed: `the policy was not confirmed: ${many}${this.because()}` }
    }
    return { profile, closed: null }
  }

  /** Why no call of the agent passes, whatever it is; null while some calls may pass. */
  closing(): Closing | null {
    const { profile, closed } = this.now()
    if (this.refused !== null) return this.refused
    if (closed !== null) return { code: profile === null ? 'no_profile' : 'not_confirmed', reason: closed }
    if (profile.policyId === null) return { code: 'may_not_act', reason: mayNotActReason(profile) }
    if (!profile.deniesAll) return null
    return { code: 'policy_denies_all', reason: 'the policy denies every call' }
  }

  /** The control plane confirms the profile, at the latest at `at`. */
  confirm(at: Instant): void {
    this.confirmed = at
    this.refused = null
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

  /** The control plane is there and names another profile than the one held: being away keeps no policy in force. */
  fallBehind(): void {
    this.behind = true
  }

  /** The control plane does not serve the agent to this edge: nothing it once said counts. */
  refuse(reason: string, code: ClosedCode = 'not_served'): void {
    this.refused = { code, reason }
    this.confirmed = null
    this.tellChange()
  }

  /** Why there is no confirmation, for whoever asks later. */
  noteFault(fault: string): void {
    this.fault = fault
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Tells listeners when everything began or ceased to be denied. True when it did. */
  tellChange(): boolean {
    const { closed } = this.now()
    if ((closed === null) === (this.lastClosed === null)) return false
    this.lastClosed = closed
    this.tell()
    return true
  }

  private isLapsed({ policyId }: ActiveProfile): boolean {
    const { keptWhenAway, missedBeats, intervalMs, clock } = this.lapse
    const kept = keptWhenAway === 'all' || (policyId !== null && keptWhenAway.has(policyId))
    if (kept && !this.behind) return false
    if (this.confirmed === null) return true
    return ageMs(this.confirmed, clock()) > missedBeats * intervalMs()
  }

  private because(): string {
    return this.fault === null ? '' : `; the last fault: ${this.fault}`
  }

  private tell(): void {
    for (const listener of this.listeners) listener()
  }
}

/** What callers are told of an agent whose profile carries no policy. */
export function mayNotActReason({ deniedBecause, status }: ActiveProfile): string {
  const known = deniedBecause === null ? undefined : mayNotActReasons.get(deniedBecause)
  return known ?? `the agent (${status}) may not act now, or has no policy to act under`
}

const mayNotActReasons: ReadonlyMap<string, string> = new Map([
  ['archived', 'the agent is archived'],
  ['suspended', 'the agent is suspended: ask a manager to resume it'],
  ['blocked', 'the agent is blocked: a review that approves it lets it act again'],
  ['retired', 'the agent is retired'],
  ['not_approved', 'not approved yet: ask a manager to resolve its onboarding review'],
  ['not_approved_in_production', 'not approved yet: ask an owner to resolve its onboarding review'],
  ['no_policy', 'the agent has no policy: put it under one'],
])
