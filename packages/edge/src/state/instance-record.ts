import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { readJsonFile, replaceFile } from './private-files.ts'

const Kept = z.object({
  instance_id: z.string(),
  seq: z.int().min(0),
  interval_ms: z.number(),
  confirmed_at: z.record(z.string(), z.number()),
})

/** What an edge remembers of itself over restarts. */
export interface InstanceRecord {
  instanceId: string
  /** The number of the last heartbeat tried. */
  seq: number
  intervalMs: number
  /** When each agent's profile was last confirmed, by the wall's clock. */
  confirmedAt: Record<string, number>
}

export async function readInstance(seat: string): Promise<InstanceRecord> {
  const { data } = Kept.safeParse(await readJsonFile(join(seat, 'instance.json')))
  if (!data) return { instanceId: randomUUID(), seq: 0, intervalMs: 30_000, confirmedAt: {} }
  const { instance_id, seq, interval_ms, confirmed_at } = data
  return { instanceId: instance_id, seq, intervalMs: interval_ms, confirmedAt: confirmed_at }
}

export async function writeInstance(seat: string, record: InstanceRecord): Promise<void> {
  const { instanceId, seq, intervalMs, confirmedAt } = record
  const kept = { instance_id: instanceId, seq, interval_ms: intervalMs, confirmed_at: confirmedAt }
  await replaceFile(join(seat, 'instance.json'), JSON.stringify(kept))
}
