import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import type { StateSeal } from './state-seal.ts'

const Confirmed = z.object({ at: z.number(), profile_hash: z.string() })
const Kept = z.object({
  instance_id: z.string(),
  seq: z.int().min(0),
  interval_ms: z.number(),
  confirmed: z.record(z.string(), Confirmed),
  overdue: z.array(z.string()),
  delegations: z.object({ version: z.int(), at: z.number(), plane_at: z.number() }).nullish(),
  written_at: z.number().optional(),
})

/** A profile that the control plane confirmed, and the wall clock time of the confirmation. */
export interface Confirmation {
  wallMs: number
  profileHash: string
}

/** What an edge stores about itself across restarts. */
export interface InstanceRecord {
  instanceId: string
  /** The number of the last heartbeat, whether it succeeded or failed. At least the time of the heartbeat in milliseconds. */
  seq: number
  intervalMs: number
  /** The last time the control plane confirmed each agent's profile, keyed by agent id. */
  confirmed: Record<string, Confirmation>
  /**
   * The ids of the agents whose stored profile is not confirmed: the control plane announced a different profile, or refused
   * the agent or this edge's key.
   */
  overdue: readonly string[]
  /**
   * The last time the control plane confirmed the stored list of ended delegations, by the wall clock and by the clock of the control plane. Null
   * if it did not.
   */
  delegations: { version: number; wallMs: number; planeMs: number } | null
  /** The wall clock time at which the record was written. */
  writtenMs: number
}

/** Reads the record of a seat. Returns the record of a new edge if the seat has no record. */
export async function readInstance(seat: string, seal: StateSeal): Promise<InstanceRecord> {
  const fresh = { instanceId: randomUUID(), seq: 0, intervalMs: 30_000, confirmed: {}, overdue: [], delegations: null }
  return (await readRecord(seat, seal)) ?? { ...fresh, writtenMs: 0 }
}

/** Reads the record of a seat. Returns null if no edge with this credential wrote one. */
export async function readRecord(seat: string, seal: StateSeal): Promise<InstanceRecord | null> {
  const { data } = Kept.safeParse(await seal.read(seal.fileIn(seat, 'instance'), nameOf(seat)))
  if (!data) return null
  const confirmed = Object.entries(data.confirmed).map(([agentId, { at, profile_hash }]) => [
    agentId,
    { wallMs: at, profileHash: profile_hash },
  ])
  const { instance_id, seq, interval_ms, overdue } = data
  const delegations = data.delegations ?? null
  return {
    instanceId: instance_id,
    seq,
    intervalMs: interval_ms,
    confirmed: Object.fromEntries(confirmed),
    overdue,
    delegations: delegations && {
      version: delegations.version,
      wallMs: delegations.at,
      planeMs: delegations.plane_at,
    },
    // Edges of earlier versions wrote no time. Their record counts as newer than every other one, so that no stop is lost.
    writtenMs: data.written_at ?? Number.POSITIVE_INFINITY,
  }
}

export async function writeInstance(seat: string, seal: StateSeal, record: InstanceRecord): Promise<void> {
  const confirmed = Object.entries(record.confirmed).map(([agentId, { wallMs, profileHash }]) => [
    agentId,
    { at: wallMs, profile_hash: profileHash },
  ])
  const { instanceId, seq, intervalMs, overdue, delegations, writtenMs } = record
  const kept = {
    instance_id: instanceId,
    seq,
    interval_ms: intervalMs,
    confirmed: Object.fromEntries(confirmed),
    overdue,
    written_at: writtenMs,
    ...(delegations && {
      delegations: { version: delegations.version, at: delegations.wallMs, plane_at: delegations.planeMs },
    }),
  }
  await seal.replace(seal.fileIn(seat, 'instance'), nameOf(seat), JSON.stringify(kept))
}

const nameOf = (seat: string) => `instance of seat ${basename(seat)}`
