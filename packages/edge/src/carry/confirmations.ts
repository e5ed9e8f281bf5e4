import { setTimeout as pause } from 'node:timers/promises'
import { edgeEndpoints, maxConfirmations } from '@mandate/contract/edge'
import { confirmationsHash } from '@mandate/proofs/decision-chain'
import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { Clock } from './freshness.ts'
import type { ActiveProfile } from './read-profile.ts'

/** A key that signs confirmations. */
export interface ConfirmationKey {
  kid: string
  sign(hash: string): string
}

export interface ConfirmationParts {
  plane: ControlPlane
  instanceId: string
  /** Returns the key that signs. Null if confirmations are sent unsigned. @throws ControlPlaneAway */
  key(signal: AbortSignal): Promise<ConfirmationKey | null>
  /** Called if the control plane refused a signed request, because it may no longer know the key. @throws ControlPlaneAway */
  renewKey(kid: string, signal: AbortSignal): Promise<unknown>
  clock: Clock
  log: Logger
}

/** What the carrier tells about profiles and freezes that are in force. */
export type ConfirmationNotes = Pick<Confirmations, 'noteProfile' | 'noteFreeze'>

interface Item {
  agent_id?: string
  freeze_id?: string
  profile_hash?: string
  profile_seq?: number
  at: string
}

/** Maximum number of freezes that wait to be confirmed. Each heartbeat answer names those that are not confirmed. */
const mostFreezes = 1000
const firstRetryMs = 500
const longestBackOffMs = 60_000
/** How long the edge waits for further profiles before it confirms them. */
export const gatherMs = 50
/** How long the edge waits before it tries again with a control plane of an earlier version. */
const unsupportedMs = 10 * 60_000

/**
 * Tells the control plane which profiles and freezes are in force. Each of them is noted only after it is in force. What cannot be sent is
 * sent later; of each agent only the newest profile is kept, so the memory is bounded.
 */
export class Confirmations {
  private readonly parts: ConfirmationParts
  private readonly profiles = new Map<string, Item>()
  private readonly freezes = new Map<string, Item>()
  /** The profile that was last noted for each agent. */
  private readonly noted = new Map<string, string>()
  private readonly stopping = new AbortController()
  private wake: () => void = () => {}
  private running: Promise<void> | null = null

  constructor(parts: ConfirmationParts) {
    this.parts = parts
  }

  /** Call this after the profile is in force. */
  noteProfile({ agentId, hash, seq }: Pick<ActiveProfile, 'agentId' | 'hash' | 'seq'>): void {
    const version = `${seq} ${hash}`
    if (this.noted.get(agentId) === version) return
    this.noted.set(agentId, version)
    this.profiles.set(agentId, { agent_id: agentId, profile_hash: hash, profile_seq: seq, at: this.now() })
    this.wake()
  }

  /** Call this after every agent that the freeze covers is stopped, or after every agent has the profile of the drill. */
  noteFreeze(id: string): void {
    if (!this.freezes.has(id) && this.freezes.size >= mostFreezes) return
    if (!this.freezes.has(id)) this.freezes.set(id, { freeze_id: id, at: this.now() })
    this.wake()
  }

  start(): void {
    this.running = this.run()
  }

  async close(): Promise<void> {
    this.stopping.abort()
    this.wake()
    await this.running
  }

  private now(): string {
    return new Date(this.parts.clock().wallMs).toISOString()
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    let failures = 0
    while (!signal.aborted) {
      try {
        await this.somethingToSend()
        if (signal.aborted) return
        // Profiles of one heartbeat arrive one after the other. A freeze is confirmed at once, because a person waits for it.
        if (this.freezes.size === 0) await pause(gatherMs, undefined, { signal }).catch(() => {})
        await this.send(signal)
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        failures++
        const isOld = error instanceof ControlPlaneRefused && error.status === 404
        const waitMs = isOld ? unsupportedMs : Math.min(firstRetryMs * 2 ** Math.min(failures, 20), longestBackOffMs)
        this.parts.log.debug(
          { reason: (error as Error).message },
          'confirmations cannot be sent; the edge sends them later',
        )
        await pause(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
      }
    }
  }

  private async somethingToSend(): Promise<void> {
    while (this.profiles.size + this.freezes.size === 0 && !this.stopping.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  private async send(signal: AbortSignal): Promise<void> {
    const items = [...this.freezes.values(), ...this.profiles.values()].slice(0, maxConfirmations)
    if (items.length === 0) return
    const { plane, instanceId: instance_id } = this.parts
    const key = await this.parts.key(signal)
    const signed = key && { kid: key.kid, signature: key.sign(confirmationsHash(key.kid, items)) }
    const body = { instance_id, confirmations: items, ...signed }
    try {
      const answer = await plane.ask({ method: 'POST', path: '/edge/confirmations', body, signal })
      const { data } = edgeEndpoints.confirm.answers[202].safeParse(answer.body)
      if (!data) throw new ControlPlaneAway('the control plane sent an invalid response to confirmations')
      // A refused one is not current any more. The next heartbeat names what replaced it.
      for (const item of items) this.forget(item)
      if (data.refused.length > 0) this.parts.log.debug({ refused: data.refused }, 'confirmations were refused')
    } catch (error) {
      if (key && error instanceof ControlPlaneRefused && error.status === 400)
        await this.parts.renewKey(key.kid, signal)
      throw error
    }
  }

  /** Forgets what was sent, unless a newer profile replaced it meanwhile. */
  private forget(item: Item): void {
    if (item.freeze_id !== undefined) this.freezes.delete(item.freeze_id)
    else if (item.agent_id !== undefined && this.profiles.get(item.agent_id) === item)
      this.profiles.delete(item.agent_id)
  }
}
