import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Decision } from '@mandate/contract/edge'
import { privateFolder, syncFolder } from '../state/private-files.ts'
import { Segment } from './segment.ts'
import { readSegmentFile, type SegmentName, segmentFile, windowAt, windowLengthMs } from './segment-name.ts'
import { SpoolRoom } from './spool-room.ts'

/** A decision in the format that the control plane accepts. */
export type DecisionRecord = Decision

/** The number of decisions of an agent in a reporting window, by effect. */
export type EffectCounts = { allow: number; deny: number; require_approval: number }

export interface Window {
  startMs: number
  endMs: number
  counts: ReadonlyMap<string, EffectCounts>
}

export interface SpoolSettings {
  maxBytes: number
  /** The agents that share the spool. */
  agentIds: readonly string[]
  fsync: 'each' | 'second'
  /** The offset of the reporting windows. See `windowOffset`. */
  offsetMs: number
  segmentBytes?: number
  /** The wall clock, in milliseconds. */
  now?: () => number
}

/**
 * Limit for how far in the future a reporting window may begin, in milliseconds. If a window begins later, the clock was wrong
 * when it was written. The window then counts as ended. Otherwise its records, and all later records, would stay on disk until
 * the clock reaches that time.
 */
const furthestAheadMs = 60 * windowLengthMs

/** Thrown if the spool has no room for a decision. The call of that decision must not pass. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull'
}

interface WindowState {
  counts: Map<string, EffectCounts>
  /** The size of each agent's decisions in this reporting window, in bytes. */
  bytes: Map<string, number>
  reported: boolean
}

interface Queued {
  line: string
  record: DecisionRecord
  done: (error?: unknown) => void
}

/**
 * Keeps decisions on disk until the control plane has stored them. The decisions are in files, which are called segments. Each
 * segment belongs to one reporting window (one minute). It stays on disk until the decisions of the window are sent and their
 * counts are reported. After a restart, the decisions and their counts are read from the segments, so nothing is lost. The
 * control plane stores a decision or a count once, even if it is sent twice.
 */
export class Spool {
  private readonly folder: string
  private readonly settings: Required<SpoolSettings>
  private readonly segments: Segment[]
  private readonly windows: Map<number, WindowState>
  private readonly room: SpoolRoom
  private bytes: number
  private nextNumber: number
  /** No more records are written to windows that begin before this time. */
  private floorMs = 0
  private appending: Segment | null = null
  private queue: Queued[] = []
  private isWriting = false
  private writing: Promise<void> = Promise.resolve()
  private readonly syncTimer: NodeJS.Timeout | null
  /** Called when there is something to send. */
  onAppend: () => void = () => {}

  private constructor(folder: string, settings: Required<SpoolSettings>, segments: Segment[]) {
    this.folder = folder
    this.settings = settings
    this.segments = segments
    this.windows = new Map()
    this.room = new SpoolRoom(settings.maxBytes, settings.agentIds)
    this.bytes = segments.reduce((sum, { size }) => sum + size, 0)
    this.nextNumber = segments.reduce((highest, { number }) => Math.max(highest, number), 0) + 1
    this.syncTimer = settings.fsync === 'second' ? setInterval(() => void this.syncQuietly(), 1000) : null
    this.syncTimer?.unref()
  }

  /** Opens a spool. Every complete line in its files is a recorded decision. An incomplete last line is removed. */
  static async open(folder: string, given: SpoolSettings): Promise<Spool> {
    await privateFolder(folder)
    const settings = { segmentBytes: 4 * 1_048_576, now: Date.now, ...given }
    const segments: Segment[] = []
    for (const { file, windowMs, number } of await segmentsIn(folder)) {
      segments.push(await Segment.open(join(folder, file), windowMs, number))
    }
    const spool = new Spool(folder, settings, segments)
    for (const segment of segments) await spool.countAgain(segment)
    return spool
  }

  /** The number of bytes on disk. */
  get size(): number {
    return this.bytes
  }

  /**
   * Records a decision. Resolves when it is stored as safely as the `fsync` setting demands. Concurrent decisions share one
   * write.
   * @throws SpoolFull, or the error of the disk; then nothing was stored
   */
  append(record: DecisionRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (error?: unknown) => (error === undefined ? resolve() : reject(error))
      this.queue.push({ line: lineOf(record), record, done })
      if (this.isWriting) return
      this.isWriting = true
      this.writing = this.write()
    })
  }

  /** Returns the oldest unsent decisions: at most `most`, and about `limitBytes` bytes. Call `sent` after they were sent. */
  async next(
    most: number,
    limitBytes: number,
  ): Promise<{ records: DecisionRecord[]; damaged: number; sent(): void } | null> {
    const segment = this.segments.find(({ sent, size }) => sent < size)
    if (!segment) return null
    const from = segment.sent
    const bytes = await segment.read(from, limitBytes)
    const { records, damaged, length } = readLines(bytes, most)
    return {
      records,
      damaged,
      sent: () => {
        segment.sent = from + length
      },
    }
  }

  /** Returns the reporting windows that have ended and are not reported yet, oldest first. */
  ended(wallMs: number): Window[] {
    return [...this.windows]
      .filter(([startMs, { reported }]) => !reported && isOver(startMs, wallMs))
      .map(([startMs, { counts }]) => ({ startMs, endMs: startMs + windowLengthMs, counts }))
      .sort((a, b) => a.startMs - b.startMs)
  }

  markReported(startMs: number): void {
    const window = this.windows.get(startMs)
    if (window) window.reported = true
  }

  /** Deletes the segments (files) of each reporting window that has ended, if all its decisions and their counts were sent. */
  async clean(wallMs: number): Promise<void> {
    for (const [startMs, { reported }] of [...this.windows]) {
      const own = this.segments.filter(({ windowMs }) => windowMs === startMs)
      if (!reported || !isOver(startMs, wallMs) || own.some((one) => one.sent < one.size)) continue
      if (this.appending && own.includes(this.appending)) continue
      this.floorMs = Math.max(this.floorMs, startMs + 1)
      for (const segment of own) await this.remove(segment)
      for (const [agentId, bytes] of this.windows.get(startMs)?.bytes ?? []) this.room.take(agentId, -bytes)
      this.windows.delete(startMs)
    }
  }

  /**
   * Moves the segments (files) of another spool into this spool, and returns their number. No other process may use that spool.
   */
  async adopt(folder: string): Promise<number> {
    const found = await segmentsIn(folder)
    for (const { file, windowMs } of found) {
      const number = this.nextNumber++
      const path = join(this.folder, segmentFile({ windowMs, number }))
      await rename(join(folder, file), path)
      const segment = await Segment.open(path, windowMs, number)
      // Inserts the moved segment at the front of the list. New records are appended to the last segment of the list, and a
      // moved segment must not get new records.
      this.segments.unshift(segment)
      this.bytes += segment.size
      await this.countAgain(segment)
    }
    return found.length
  }

  async close(): Promise<void> {
    if (this.syncTimer) clearInterval(this.syncTimer)
    await this.writing
    for (const segment of this.segments) {
      await segment.sync().catch(() => {})
      await segment.close()
    }
  }

  private async write(): Promise<void> {
    // Waits, so that the first write also contains the decisions that are added in the same turn of the event loop.
    await Promise.resolve()
    while (this.queue.length > 0) {
      const group = this.admit(this.queue)
      this.queue = []
      if (group.length === 0) continue
      try {
        await this.writeGroup(group)
        for (const { done } of group) done()
        this.onAppend()
      } catch (error) {
        for (const one of group) {
          this.room.take(one.record.agent_id, -sizeOf(one.line))
          one.done(error)
        }
      }
    }
    // No `await` may stand between the check of the queue and this assignment. Otherwise a record could be queued in between,
    // and no write would start for that record.
    this.isWriting = false
  }

  /** Reserves room for the queued records. Rejects the records that do not fit. */
  private admit(queued: readonly Queued[]): Queued[] {
    return queued.filter(({ line, record, done }) => {
      const hasRoom = this.room.has(record.agent_id, sizeOf(line))
      if (hasRoom) this.room.take(record.agent_id, sizeOf(line))
      else done(new SpoolFull(`the spool holds ${this.bytes} bytes and has no room left for this agent`))
      return hasRoom
    })
  }

  private async writeGroup(group: readonly Queued[]): Promise<void> {
    const bytes = Buffer.from(group.map(({ line }) => line).join(''))
    const segment = await this.segmentFor(this.settings.now())
    this.appending = segment
    try {
      await segment.append(bytes, this.settings.fsync === 'each')
      this.bytes += bytes.length
      for (const { line, record } of group) this.count(segment.windowMs, record, sizeOf(line))
    } finally {
      this.appending = null
    }
  }

  private async segmentFor(wallMs: number): Promise<Segment> {
    const last = this.segments.at(-1)
    // If the clock goes back, the later window stays in use, because the counts of an earlier window may already be reported.
    const before = [last?.windowMs ?? 0, this.floorMs].filter((startMs) => !isAhead(startMs, wallMs))
    const windowMs = Math.max(windowAt(wallMs, this.settings.offsetMs), ...before)
    if (last && last.windowMs === windowMs && last.size < this.settings.segmentBytes && !last.closed) return last
    const name: SegmentName = { windowMs, number: this.nextNumber++ }
    const segment = await Segment.open(join(this.folder, segmentFile(name)), windowMs, name.number)
    this.segments.push(segment)
    this.windowOf(windowMs)
    await last?.sync()
    await last?.close()
    if (this.settings.fsync === 'each') await syncFolder(this.folder)
    return segment
  }

  private windowOf(windowMs: number): WindowState {
    const window = this.windows.get(windowMs) ?? { counts: new Map(), bytes: new Map(), reported: false }
    this.windows.set(windowMs, window)
    return window
  }

  private count(windowMs: number, record: DecisionRecord, bytes: number): void {
    const { agent_id, effect } = record
    const window = this.windowOf(windowMs)
    window.reported = false
    window.bytes.set(agent_id, (window.bytes.get(agent_id) ?? 0) + bytes)
    const counts = window.counts.get(agent_id) ?? { allow: 0, deny: 0, require_approval: 0 }
    counts[effect]++
    window.counts.set(agent_id, counts)
  }

  private async countAgain(segment: Segment): Promise<void> {
    this.windowOf(segment.windowMs)
    if (segment.size === 0) return
    const { records } = readLines(await segment.read(0, segment.size), Number.POSITIVE_INFINITY)
    for (const record of records) {
      const bytes = sizeOf(lineOf(record))
      this.room.take(record.agent_id, bytes)
      this.count(segment.windowMs, record, bytes)
    }
  }

  private async remove(segment: Segment): Promise<void> {
    this.segments.splice(this.segments.indexOf(segment), 1)
    this.bytes -= segment.size
    await segment.close()
    await rm(segment.path, { force: true })
  }

  private async syncQuietly(): Promise<void> {
    for (const segment of this.segments) await segment.sync().catch(() => {})
  }
}

function isAhead(startMs: number, wallMs: number): boolean {
  return startMs > wallMs + furthestAheadMs
}

function isOver(startMs: number, wallMs: number): boolean {
  return startMs + windowLengthMs <= wallMs || isAhead(startMs, wallMs)
}

function lineOf(record: DecisionRecord): string {
  return `${JSON.stringify(record)}\n`
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line)
}

async function segmentsIn(folder: string): Promise<(SegmentName & { file: string })[]> {
  const files = await readdir(folder).catch(() => [])
  return files.sort().flatMap((file) => {
    const name = readSegmentFile(file)
    return name ? [{ file, ...name }] : []
  })
}

/** Reads the first `most` lines. Skips damaged lines and counts them. */
function readLines(bytes: Buffer, most: number): { records: DecisionRecord[]; damaged: number; length: number } {
  const records: DecisionRecord[] = []
  let [length, damaged] = [0, 0]
  while (records.length < most && length < bytes.length) {
    const end = bytes.indexOf(0x0a, length)
    const record = readRecord(bytes.toString('utf8', length, end))
    if (record === null) damaged++
    else records.push(record)
    length = end + 1
  }
  return { records, damaged, length }
}

/**
 * Parses a line. Returns null if the line is not a record. A record needs an agent and an effect, because decisions are
 * counted by both.
 */
function readRecord(line: string): DecisionRecord | null {
  try {
    const record = JSON.parse(line)
    return typeof record?.agent_id === 'string' && isEffect(record.effect) ? record : null
  } catch {
    return null
  }
}

function isEffect(value: unknown): value is keyof EffectCounts {
  return value === 'allow' || value === 'deny' || value === 'require_approval'
}
