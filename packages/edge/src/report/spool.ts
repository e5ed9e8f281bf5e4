import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Decision } from '@mandate/contract/edge'
import { privateFolder, syncFolder } from '../state/private-files.ts'
import { Segment } from './segment.ts'
import { readSegmentFile, type SegmentName, segmentFile, windowAt, windowLengthMs } from './segment-name.ts'

/** A decision as the control plane takes it. */
export type DecisionRecord = Decision

/** What an agent did in a window. */
export type EffectCounts = { allow: number; deny: number; require_approval: number }

export interface Window {
  startMs: number
  endMs: number
  counts: ReadonlyMap<string, EffectCounts>
}

export interface SpoolSettings {
  maxBytes: number
  fsync: 'each' | 'second'
  /** When windows turn, see `windowOffset`. */
  offsetMs: number
  segmentBytes?: number
  /** The wall's time, in milliseconds. */
  now?: () => number
}

/** A decision cannot be kept, so the call it is about must not pass. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull'
}

interface WindowState {
  counts: Map<string, EffectCounts>
  reported: boolean
}

/**
 * Decisions on disk until the control plane has them. A window's segments stay until its decisions were sent and its counts
 * reported; both can be told again from them after a restart, so neither is lost, and both are taken once by whoever is told.
 */
export class Spool {
  private readonly folder: string
  private readonly settings: Required<SpoolSettings>
  private readonly segments: Segment[]
  private readonly windows: Map<number, WindowState>
  private bytes: number
  private nextNumber: number
  /** No window before this one is written to any more. */
  private floorMs = 0
  private appending: Segment | null = null
  private queue: { line: string; record: DecisionRecord; done: (error?: unknown) => void }[] = []
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
    this.bytes = segments.reduce((sum, { size }) => sum + size, 0)
    this.nextNumber = segments.reduce((highest, { number }) => Math.max(highest, number), 0) + 1
    this.syncTimer = settings.fsync === 'second' ? setInterval(() => void this.syncQuietly(), 1000) : null
    this.syncTimer?.unref()
  }

  /** Opens a spool; whole lines found in it count as recorded. */
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

  /** Bytes on disk. */
  get size(): number {
    return this.bytes
  }

  /**
   * Records a decision; resolves once it is kept as safely as `fsync` says. Decisions that come together share a write.
   * @throws SpoolFull, or what the disk says, and then nothing was kept
   */
  append(record: DecisionRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (error?: unknown) => (error === undefined ? resolve() : reject(error))
      this.queue.push({ line: `${JSON.stringify(record)}\n`, record, done })
      if (this.isWriting) return
      this.isWriting = true
      this.writing = this.write()
    })
  }

  /** The oldest decisions not sent, at most `most` of them and about `limitBytes`; `sent` is called when they are. */
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

  /** Windows that have ended, oldest first, whose counts were not reported yet. */
  ended(wallMs: number): Window[] {
    return [...this.windows]
      .filter(([startMs, { reported }]) => !reported && startMs + windowLengthMs <= wallMs)
      .map(([startMs, { counts }]) => ({ startMs, endMs: startMs + windowLengthMs, counts }))
      .sort((a, b) => a.startMs - b.startMs)
  }

  markReported(startMs: number): void {
    const window = this.windows.get(startMs)
    if (window) window.reported = true
  }

  /** Takes away what was sent and reported. */
  async clean(wallMs: number): Promise<void> {
    for (const [startMs, { reported }] of [...this.windows]) {
      const own = this.segments.filter(({ windowMs }) => windowMs === startMs)
      if (!reported || startMs + windowLengthMs > wallMs || own.some((one) => one.sent < one.size)) continue
      if (this.appending && own.includes(this.appending)) continue
      this.floorMs = Math.max(this.floorMs, startMs + 1)
      for (const segment of own) await this.remove(segment)
      this.windows.delete(startMs)
    }
  }

  /** Takes over the segments of a spool that nobody else uses. */
  async adopt(folder: string): Promise<number> {
    const found = await segmentsIn(folder)
    for (const { file, windowMs } of found) {
      const number = this.nextNumber++
      const path = join(this.folder, segmentFile({ windowMs, number }))
      await rename(join(folder, file), path)
      const segment = await Segment.open(path, windowMs, number)
      // The newest segment is the one appended to, so what is taken over goes before it.
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
    // Whoever asks in the same turn of the event loop shares the first write too.
    await Promise.resolve()
    while (this.queue.length > 0) {
      const group = this.queue
      this.queue = []
      try {
        await this.writeGroup(
          group.map(({ line }) => line).join(''),
          group.map(({ record }) => record),
        )
        for (const { done } of group) done()
        this.onAppend()
      } catch (error) {
        for (const { done } of group) done(error)
      }
    }
    // In the same turn as the queue was found empty: whoever comes next starts a write of their own.
    this.isWriting = false
  }

  private async writeGroup(text: string, records: readonly DecisionRecord[]): Promise<void> {
    const bytes = Buffer.from(text)
    if (this.bytes + bytes.length > this.settings.maxBytes) {
      throw new SpoolFull(`the spool holds ${this.bytes} bytes and may hold ${this.settings.maxBytes}`)
    }
    const segment = await this.segmentFor(this.settings.now())
    this.appending = segment
    try {
      await segment.append(bytes, this.settings.fsync === 'each')
      this.bytes += bytes.length
      for (const record of records) this.count(segment.windowMs, record)
    } finally {
      this.appending = null
    }
  }

  private async segmentFor(wallMs: number): Promise<Segment> {
    const last = this.segments.at(-1)
    // Never back to an earlier window, whatever the clock does: its counts may have been reported.
    const windowMs = Math.max(windowAt(wallMs, this.settings.offsetMs), last?.windowMs ?? 0, this.floorMs)
    if (last && last.windowMs === windowMs && last.size < this.settings.segmentBytes && !last.closed) return last
    const name: SegmentName = { windowMs, number: this.nextNumber++ }
    const segment = await Segment.open(join(this.folder, segmentFile(name)), windowMs, name.number)
    this.segments.push(segment)
    if (!this.windows.has(windowMs)) this.windows.set(windowMs, { counts: new Map(), reported: false })
    await last?.sync()
    await last?.close()
    if (this.settings.fsync === 'each') await syncFolder(this.folder)
    return segment
  }

  private count(windowMs: number, { agent_id, effect }: DecisionRecord): void {
    const window = this.windows.get(windowMs) ?? { counts: new Map(), reported: false }
    window.reported = false
    this.windows.set(windowMs, window)
    const counts = window.counts.get(agent_id) ?? { allow: 0, deny: 0, require_approval: 0 }
    counts[effect]++
    window.counts.set(agent_id, counts)
  }

  private async countAgain(segment: Segment): Promise<void> {
    if (!this.windows.has(segment.windowMs)) this.windows.set(segment.windowMs, { counts: new Map(), reported: false })
    if (segment.size === 0) return
    const { records } = readLines(await segment.read(0, segment.size), Number.POSITIVE_INFINITY)
    for (const record of records) this.count(segment.windowMs, record)
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

async function segmentsIn(folder: string): Promise<(SegmentName & { file: string })[]> {
  const files = await readdir(folder).catch(() => [])
  return files.sort().flatMap((file) => {
    const name = readSegmentFile(file)
    return name ? [{ file, ...name }] : []
  })
}

/** The first `most` lines; a line damaged on disk is passed over and counted. */
function readLines(bytes: Buffer, most: number): { records: DecisionRecord[]; damaged: number; length: number } {
  const records: DecisionRecord[] = []
  let [length, damaged] = [0, 0]
  while (records.length < most && length < bytes.length) {
    const end = bytes.indexOf(0x0a, length)
    try {
      records.push(JSON.parse(bytes.toString('utf8', length, end)))
    } catch {
      damaged++
    }
    length = end + 1
  }
  return { records, damaged, length }
}
