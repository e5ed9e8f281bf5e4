import { setTimeout as pause } from 'node:timers/promises'
import type { EventSubscription } from '../../events/event-hub.ts'
import type { EventRow } from '../../events/event-row.ts'
import type { EventConsumer } from '../../events/tenant-reader.ts'
import type { Services } from '../../services.ts'
import { type CurrentProfile, currentProfiles, mostCurrentProfiles } from '../edge/profiles/current-profiles.ts'
import { CarriedAgents } from './carried-agents.ts'
import { checkKeys } from './check-keys.ts'
import {
  type CredentialNews,
  carriedType,
  edgeEventText,
  type FreezeNews,
  meaningOf,
  signedFreeze,
  type VersionNews,
} from './edge-events.ts'
import type { EdgeStream } from './edge-stream.ts'
import { findApprovals } from './queries.ts'

export const keepAliveMs = 15_000
/** The pause between two batches, so that a busy tenant is served in batches. */
const batchMs = 20
const mostApprovals = 500
const retryMs = 500

/** An agent that an edge carries, and the hash of the profile that the edge was given; null if it was given none. */
export type CarriedAgent = readonly [agentId: string, hash: string | null]

/** The texts of the events to send, by stream. */
type Outbox = Map<EdgeStream, string[]>

/**
 * The open streams of the edges of one tenant on this instance. Whether profiles changed is read for the agents of these streams only, in
 * batches. Before each batch is sent, the keys of its streams are checked.
 */
export class TenantEdges implements EventConsumer {
  readonly streams = new Set<EdgeStream>()
  private readonly services: Services
  private readonly tenantId: string
  private readonly carried = new CarriedAgents()
  private subscription: EventSubscription | undefined
  private readonly approvalIds = new Set<string>()
  private freezes: FreezeNews[] = []
  private credentials: CredentialNews[] = []
  private versions: VersionNews[] = []
  private isDelivering = false
  private isCheckDue = false
  private isClosed = false
  private readonly timer: NodeJS.Timeout

  constructor(services: Services, tenantId: string) {
    this.services = services
    this.tenantId = tenantId
    this.timer = setInterval(() => this.keepAlive(), keepAliveMs)
    this.timer.unref()
  }

  async start(): Promise<void> {
    this.subscription = await this.services.events.subscribe(this.tenantId, this)
  }

  /** Adds a stream. The stream of an agent key is told every change that is committed after this function resolves. */
  async add(stream: EdgeStream): Promise<void> {
    this.streams.add(stream)
    const { agentId } = stream.reach
    if (agentId === null) return
    // What the agent has now is not told. Later changes are compared with it.
    const [profile] = await currentProfiles(this.services.db, this.tenantId, stream.reach, [agentId])
    this.carry(stream, [[agentId, profile?.hash ?? null]])
  }

  remove(stream: EdgeStream): void {
    this.streams.delete(stream)
    this.carried.remove(stream)
  }

  /** Adds agents to a stream, and tells those that have another profile than the edge was given. */
  carry(stream: EdgeStream, agents: Iterable<CarriedAgent>): void {
    for (const [agentId, hash] of agents) this.carried.add(stream, agentId, hash)
    this.deliver()
  }

  close(): void {
    this.isClosed = true
    clearInterval(this.timer)
    this.subscription?.close()
  }

  onRows(rows: readonly EventRow[]): void {
    for (const row of rows) {
      if (row.type === carriedType && !row.isAudited) this.carryElsewhere(row)
      const { affected, approvalId, freeze, credential, version, endsKeys } = meaningOf(row)
      if (endsKeys) this.isCheckDue = true
      if (approvalId !== undefined) this.approvalIds.add(approvalId)
      if (freeze !== undefined) this.freezes.push(freeze)
      if (credential !== undefined) this.credentials.push(credential)
      if (version !== undefined) this.versions.push(version)
      if (affected !== undefined) this.carried.mark(affected)
    }
    this.deliver()
  }

  /** Rows may be missing. The edges connect again, and compare what they have. */
  onGap(): void {
    this.onEnd()
  }

  onEnd(): void {
    for (const stream of this.streams) stream.end()
  }

  private keepAlive(): void {
    for (const stream of this.streams) stream.keepAlive()
    this.isCheckDue = true
    this.deliver()
  }

  private deliver(): void {
    if (this.isDelivering || this.isClosed) return
    this.isDelivering = true
    void this.deliverAll().finally(() => {
      this.isDelivering = false
    })
  }

  private get hasNews(): boolean {
    const hasRows = this.approvalIds.size + this.freezes.length + this.credentials.length + this.versions.length > 0
    return hasRows || this.carried.hasChanges || this.isCheckDue
  }

  private async deliverAll(): Promise<void> {
    while (!this.isClosed && this.hasNews) {
      const waitMs = await this.deliverBatch().catch((error) => {
        this.services.log.debug(
          { err: error, tenant_id: this.tenantId },
          'edges could not be told; they are told later',
        )
        return retryMs
      })
      await pause(waitMs, undefined, { ref: false })
    }
  }

  /** Delivers freezes, credentials and approvals, then one batch of profiles. Returns the pause until the next batch. */
  private async deliverBatch(): Promise<number> {
    await this.tellRows()
    await this.tellProfiles()
    return this.carried.hasChanges ? 0 : batchMs
  }

  private async tellRows(): Promise<void> {
    const outbox: Outbox = new Map()
    const { freezes, credentials, versions, isCheckDue } = this
    const approvalIds = [...this.approvalIds].slice(0, mostApprovals)
    this.freezes = []
    this.credentials = []
    this.versions = []
    this.isCheckDue = false
    for (const id of approvalIds) this.approvalIds.delete(id)
    try {
      for (const freeze of freezes) this.addFreeze(outbox, freeze)
      for (const credential of credentials) this.addCredential(outbox, credential)
      for (const news of versions) this.addVersion(outbox, news)
      if (approvalIds.length > 0) await this.addApprovals(outbox, approvalIds)
      await this.send(outbox, isCheckDue ? this.streams : outbox.keys())
    } catch (error) {
      this.freezes = [...freezes, ...this.freezes]
      this.credentials = [...credentials, ...this.credentials]
      this.versions = [...versions, ...this.versions]
      this.isCheckDue ||= isCheckDue
      for (const id of approvalIds) this.approvalIds.add(id)
      throw error
    }
  }

  /** An edge may serve any agent of its environment, so each edge of the environment is told of the freeze of an agent. */
  private addFreeze(outbox: Outbox, freeze: FreezeNews): void {
    const { event, agentId, environmentId } = freeze
    const text = edgeEventText('freeze', signedFreeze(freeze, this.tenantId, this.services.signingKey))
    for (const stream of this.streams) {
      const { reach } = stream
      const place = this.placeOf(stream)
      const isTold =
        event.scope === 'organization' ||
        (event.scope === 'agent' && reach.agentId !== null
          ? reach.agentId === agentId
          : place === null || place === environmentId)
      if (isTold) put(outbox, stream, text)
    }
  }

  /** Only an edge key may read credentials, so the stream of an agent's own key is told nothing. */
  private addCredential(outbox: Outbox, { environmentId, event }: CredentialNews): void {
    const text = edgeEventText('credential', event)
    for (const stream of this.streams) if (stream.reach.environmentId === environmentId) put(outbox, stream, text)
  }

  /** Agents with a key of their own read the pins and the ended delegations of their environment too. */
  private addVersion(outbox: Outbox, { type, environmentId, event }: VersionNews): void {
    const text = edgeEventText(type, event)
    for (const stream of this.streams) {
      const place = this.placeOf(stream)
      if (place === null || place === environmentId) put(outbox, stream, text)
    }
  }

  /** The environment of a stream. Null if it is not known yet. */
  private placeOf({ reach }: EdgeStream): string | null {
    return reach.agentId === null ? reach.environmentId : this.carried.environmentOf(reach.agentId)
  }

  /** An edge named its agents to another instance. */
  private carryElsewhere({ resourceId, details }: EventRow): void {
    const { instance_id: instanceId, agents } = details as { instance_id: string; agents: CarriedAgent[] }
    for (const stream of this.streams) if (stream.isOf(resourceId, instanceId)) this.carry(stream, agents)
  }

  private async addApprovals(outbox: Outbox, ids: readonly string[]): Promise<void> {
    for (const { id, agentId, status } of await findApprovals(this.services.db.reader(this.tenantId), ids)) {
      const text = edgeEventText('approval', { approval_id: id, status })
      for (const stream of this.carried.streamsOf(agentId)) put(outbox, stream, text)
    }
  }

  private async tellProfiles(): Promise<void> {
    const agentIds = this.carried.take(mostCurrentProfiles)
    if (agentIds.length === 0) return
    try {
      const profiles = await currentProfiles(this.services.db, this.tenantId, 'any', agentIds)
      const outbox: Outbox = new Map()
      const told: [EdgeStream, CurrentProfile][] = []
      for (const profile of profiles) {
        this.carried.note(profile)
        for (const stream of [...this.carried.streamsOf(profile.agentId)]) {
          if (!isInReach(stream, profile)) stream.end()
          else if (stream.agents.get(profile.agentId) !== profile.hash) {
            put(outbox, stream, profileText(profile))
            told.push([stream, profile])
          }
        }
      }
      const existing = new Set(profiles.map(({ agentId }) => agentId))
      for (const agentId of agentIds)
        if (!existing.has(agentId)) for (const stream of this.carried.streamsOf(agentId)) stream.end()
      await this.send(outbox, outbox.keys())
      for (const [stream, { agentId, hash }] of told) if (stream.agents.has(agentId)) stream.agents.set(agentId, hash)
    } catch (error) {
      this.carried.putBack(agentIds)
      throw error
    }
  }

  /** Sends texts to the streams whose keys are still valid, and ends the others. */
  private async send(outbox: Outbox, checked: Iterable<EdgeStream>): Promise<void> {
    const open = [...checked].filter(({ isOpen }) => isOpen)
    if (open.length === 0) return
    const valid = await checkKeys(this.services.db.reader(this.tenantId), open)
    for (const stream of open) {
      const texts = outbox.get(stream)
      if (!valid.has(stream)) stream.end()
      else if (texts !== undefined) stream.send(texts.join(''), texts.length)
    }
  }
}

function put(outbox: Outbox, stream: EdgeStream, text: string): void {
  const texts = outbox.get(stream)
  if (texts) texts.push(text)
  else outbox.set(stream, [text])
}

/**
 * True if the key of the stream is valid for the agent. An edge whose key is no longer valid is disconnected. It connects again, and is not
 * given the profile.
 */
function isInReach({ reach }: EdgeStream, { agentId, state }: CurrentProfile): boolean {
  return reach.agentId === agentId || (reach.environmentId !== null && reach.environmentId === state.environment_id)
}

const profileText = ({ agentId, hash, seq }: CurrentProfile) =>
  edgeEventText('profile', { agent_id: agentId, profile_hash: hash, profile_seq: seq })
