import type { Logger } from 'pino'
import { eachOf } from '../each-of.ts'
import { type InstanceRecord, writeInstance } from '../state/instance-record.ts'
import type { StateSeal } from '../state/state-seal.ts'
import type { AgentStanding } from './agent-standing.ts'
import type { Clock } from './freshness.ts'
import type { Mark, ProfileFiles } from './profile-files.ts'
import type { ActiveProfile } from './read-profile.ts'

export interface StoredParts {
  files: ProfileFiles
  seat: string
  seal: StateSeal
  instance: InstanceRecord
  agents: ReadonlyMap<string, AgentStanding>
  clock: Clock
  log: Logger
}

/** Files that are read or written at the same time. */
export const filesAtOnce = 8

/**
 * Keeps on disk what the edge needs after a restart: the profile of each agent, its mark, and when the profile was confirmed. A failed write
 * is logged, and `keep` tries it again.
 */
export class StoredProfiles {
  private readonly parts: StoredParts
  /** Profiles that are in force but could not be written to disk. */
  private readonly unsaved = new Map<string, Record<string, unknown>>()
  /** The last write of the instance record. The next one begins after it, so that the record on disk is the newest. */
  private writing: Promise<unknown> = Promise.resolve()

  constructor(parts: StoredParts) {
    this.parts = parts
  }

  /** Lets the next `save` or `keep` write a profile as the current one. */
  add({ agentId, document }: Pick<ActiveProfile, 'agentId' | 'document'>): void {
    this.unsaved.set(agentId, document)
  }

  /**
   * Writes a profile that was added. Call this before the profile is in force. A failed write does not keep it from being put in force, so
   * that a full disk does not delay a stricter policy.
   */
  async save(agentId: string): Promise<void> {
    const document = this.unsaved.get(agentId)
    if (!document) return
    try {
      await this.parts.files.write(agentId, document)
      this.unsaved.delete(agentId)
    } catch (error) {
      this.parts.log.error(
        { agent_id: agentId, reason: (error as Error).message },
        'cannot write the profile of the agent to disk; the edge uses it anyway, and the next heartbeat tries again',
      )
    }
  }

  /** Marks the stored profile of an agent that another profile was announced for. The mark `withdrawn` stays if the agent is refused. */
  markBehind({ agentId, isRefused }: AgentStanding): Promise<void> {
    return this.mark(agentId, isRefused ? 'withdrawn' : 'behind')
  }

  /** Writes everything that the next start of the edge needs. Never throws. */
  async keep(): Promise<void> {
    await this.withdrawRefused()
    for (const agentId of [...this.unsaved.keys()]) await this.save(agentId)
    await this.writeRecord()
  }

  /**
   * Writes to disk that the stopped agents are not confirmed, so that the edge denies their calls after a restart too. This is one file, however
   * many agents are stopped. If it cannot be written, for example on a full disk, their profiles are marked instead. Never throws.
   */
  async keepStops(): Promise<void> {
    if (!(await this.writeRecord())) await this.withdrawRefused()
  }

  /** Returns whether the record was written. */
  private writeRecord(): Promise<boolean> {
    const { instance, seat, seal, log } = this.parts
    const mine = this.writing.then(async () => {
      try {
        this.noteConfirmations()
        await writeInstance(seat, seal, instance)
        return true
      } catch (error) {
        log.error({ reason: (error as Error).message }, 'the state folder cannot be written')
        return false
      }
    })
    this.writing = mine
    return mine
  }

  /**
   * Marks on disk the profiles of the agents that the control plane does not let this edge serve. The edge then denies their
   * calls after a restart too. Every heartbeat repeats this, because an earlier try may have failed.
   */
  private async withdrawRefused(): Promise<void> {
    const refused = [...this.parts.agents.values()].filter(({ isRefused }) => isRefused)
    await eachOf(refused, filesAtOnce, ({ agentId }) => this.mark(agentId, 'withdrawn'))
  }

  /**
   * Marks the stored profile as outdated or withdrawn. Discards a profile that waits to be saved, because saving it would
   * mark it as current again.
   */
  private async mark(agentId: string, mark: Exclude<Mark, 'current'>): Promise<void> {
    const { files, log } = this.parts
    this.unsaved.delete(agentId)
    await files.mark(agentId, mark).catch((error: Error) => {
      log.error(
        { agent_id: agentId, reason: error.message },
        `cannot mark the stored profile as "${mark}" on disk; the next heartbeat tries again`,
      )
    })
  }

  /**
   * Saves the time at which the control plane confirmed each profile. The next start of the edge reads it. Skips a profile that
   * is not saved on disk, because the disk may then contain an older profile.
   */
  private noteConfirmations(): void {
    const { agents, instance, clock } = this.parts
    const confirmed = [...agents.values()].flatMap(({ agentId, confirmed, profile, isRefused }) => {
      if (!profile || isRefused || this.unsaved.has(agentId)) return []
      if (confirmed) return [[agentId, { wallMs: confirmed.wallMs, profileHash: profile.hash }] as const]
      const before = instance.confirmed[agentId]
      return before?.profileHash === profile.hash ? [[agentId, before] as const] : []
    })
    instance.confirmed = Object.fromEntries(confirmed)
    const overdue = [...agents.values()].filter(({ isBehind, isRefused }) => isBehind || isRefused)
    instance.overdue = overdue.map(({ agentId }) => agentId)
    instance.writtenMs = clock().wallMs
  }
}
