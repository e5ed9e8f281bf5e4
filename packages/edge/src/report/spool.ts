import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DecisionRecord } from '@mandate/contract/edge'
import type { KeptArguments } from '@mandate/contract/kept-arguments'
import { canonicalJson } from '@mandate/proofs/canonical'
import { privateFolder, syncFolder } from '../state/private-files.ts'
import { type ChainedRecord, type ChainHead, chainLine, emptyChain, headAfter, isChained } from './record-chain.ts'
import { Segment } from './segment.ts'
import { readSegmentFile, type SegmentName, segmentFile, windowAt, windowLengthMs } from './segment-name.ts'
import { SpoolRoom } from './spool-room.ts'

export type { DecisionRecord, KeptArguments }

/** The number of decisions of an agent in a reporting window, by effect. */
export type EffectCounts = { allow: number; deny: number; require_approval: number }

export interface Window {
  startMs: number
  endMs: number
  counts: ReadonlyMap<string, EffectCounts>
}

/** What a spool knows about the keys of the records in its folder. */
export interface SpoolKeys {
  /** The head of a key's chain, as it was stored when the last segment of the key was deleted. Null if the key is unknown. */
  headOf(kid: string): ChainHead | null
  /** Whether this edge may send records of a key that are about these agents. Other records and all later ones of the key stay. */
  isOurs(kid: string | null, agentIds: ReadonlySet<string>): boolean
  /** Called before the last segment of a key is deleted. Stores the head of the key's chain, or deletes the key. */
  retire(kid: string, head: ChainHead): Promise<void>
}

export interface SpoolSettings {
  /** The key whose chain new records continue. If absent, new records have no chain. */
  kid?: string
  keys?: SpoolKeys
  maxBytes: number
  /** The agents that share the spool. */
  agentIds: readonly string[]
  fsync: 'each' | 'second'
  /** The offset of the reporting windows. See `windowOffset`. */
  offsetMs: number
  segmentBytes?: number
  /** The wall clock, in milliseconds. */
  now: () => number
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
  /** The room that each agent's decisions in this reporting window use, in bytes. */
  bytes: Map<string, number>
  reported: boolean
}

interface Queued {
  /** The record as JSON, without its position in a chain. */
  text: string
  record: DecisionRecord
  kept: KeptArguments | null
  done: (error?: unknown) => void
}

/** Records that are written together. */
interface Group {
  kid: string | null
  /** The head of the chain after these records. */
  head: ChainHead
  written: (Queued & { line: string; bytes: number })[]
}

/** A folder with segments: the folder of this spool, or the folder of a spool that was taken over. */
interface Home {
  folder: string
  keys: SpoolKeys
  /** The keys of segments in this folder that wait for another edge. These keys are still needed. */
  waiting: Set<string | null>
  /** Called when the spool has no more segments in this folder. */
  onEmpty: () => void
}

/** Decisions to send together. */
export interface Batch {
  records: DecisionRecord[]
  /** What is kept of the arguments of these decisions. */
  kept: KeptArguments[]
  /** The number of lines that cannot be read. */
  damaged: number
  /** The key whose chain the records belong to. Null for records without a chain. */
  kid: string | null
  /** Call this after the records were sent. */
  sent(): void
}

const noKeys: SpoolKeys = { headOf: () => null, isOurs: () => true, retire: async () => {} }

/**
 * Keeps decisions on disk until the control plane has stored them. The decisions are in files, which are called segments. Each
 * segment belongs to one reporting window (one minute). It stays on disk until the decisions of the window are sent and their
 * counts are reported. After a restart, the decisions and their counts are read from the segments, so nothing is lost. The
 * control plane stores a decision or a count once, even if it is sent twice.
 *
 * The records of a key form a hash chain in the order of the lines. A record gets its place when it is written. After a restart
 * the chain continues after the last line on disk, or after the stored head if no line is left. Records are synced before they
 * are sent, so a power failure cannot take back a place that the control plane has seen.
 */
export class Spool {
  private readonly home: Home
  private readonly settings: SpoolSettings & { segmentBytes: number }
  private readonly segments: Segment[] = []
  private readonly homes = new WeakMap<Segment, Home>()
  /** The heads of the chains whose records are in this spool. */
  private readonly heads = new Map<string, ChainHead>()
  private kid: string | null
  private readonly windows: Map<number, WindowState>
  private readonly room: SpoolRoom
  private bytes = 0
  private nextNumber = 1
  /** No more records are written to windows that begin before this time. */
  private floorMs = 0
  private appending: Segment | null = null
  private queue: Queued[] = []
  private isWriting = false
  private writing: Promise<void> = Promise.resolve()
  private readonly syncTimer: NodeJS.Timeout | null
  /** Called when there is something to send. */
  onAppend: () => void = () => {}

  private constructor(home: Home, settings: Spool['settings']) {
    this.home = home
    this.settings = settings
    this.kid = settings.kid ?? null
    this.windows = new Map()
    this.room = new SpoolRoom(settings.maxBytes, settings.agentIds)
    this.syncTimer = settings.fsync === 'second' ? setInterval(() => void this.syncQuietly(), 1000) : null
    this.syncTimer?.unref()
  }

  /** Opens a spool. Every complete line in its files is a recorded decision. An incomplete last line is removed. */
  static async open(folder: string, given: SpoolSettings): Promise<Spool> {
    await privateFolder(folder)
    const settings = { segmentBytes: 4 * 1_048_576, ...given }
    const spool = new Spool({ folder, keys: given.keys ?? noKeys, waiting: new Set(), onEmpty: () => {} }, settings)
    spool.segments.push(...(await spool.load(spool.home)))
    return spool
  }

  /** The number of bytes in the folder of this spool. */
  get size(): number {
    return this.bytes
  }

  /**
   * Records a decision. Resolves when it is stored as safely as the `fsync` setting demands. Concurrent decisions share one
   * write. `kept` is not a part of the record, so the hash of the record does not cover it.
   * @throws SpoolFull, or the error of the disk; then nothing was stored. TypeError if the record has no RFC 8785 form
   */
  append(record: DecisionRecord, kept: KeptArguments | null = null): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (error?: unknown) => (error === undefined ? resolve() : reject(error))
      this.queue.push({ text: canonicalJson(record), record, kept, done })
      if (this.isWriting) return
      this.isWriting = true
      this.writing = this.write()
    })
  }

  /** Continues with the chain of another key, which has no records yet. */
  startChain(kid: string): void {
    this.kid = kid
  }

  /** Returns the oldest unsent decisions of one key: at most `most`, and about `limitBytes` bytes. */
  async next(most: number, limitBytes: number): Promise<Batch | null> {
    const segment = this.segments.find(({ sent, size }) => sent < size)
    if (!segment) return null
    const { sent: from, kid } = segment
    const read = readLines(await segment.read(from, limitBytes), most, kid)
    if (kid !== null) await segment.secure(from + read.length)
    return {
      records: read.records,
      kept: read.kept,
      damaged: read.damaged,
      kid,
      sent: () => {
        segment.sent = from + read.length
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
      // If the head of a chain cannot be stored, for example because the disk is full, the segments stay. They hold the head.
      if (!(await this.retireKeys(own))) continue
      for (const segment of own) await this.remove(segment)
      for (const [agentId, bytes] of this.windows.get(startMs)?.bytes ?? []) this.room.take(agentId, -bytes)
      this.windows.delete(startMs)
    }
  }

  /**
   * Takes over the spool of an edge that has ended: sends and counts its records. They stay in their folder, so that their
   * chain stays whole if this edge ends too. Returns the number of segments (files). No other process may use that spool until
   * `onEmpty` is called. It is not called if there are no segments.
   */
  async adopt(folder: string, keys: SpoolKeys = noKeys, onEmpty: () => void = () => {}): Promise<number> {
    const segments = await this.load({ folder, keys, waiting: new Set(), onEmpty })
    // Inserts the segments at the front of the list, because new records are appended to the last segment.
    this.segments.unshift(...segments)
    return segments.length
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
      if (group.written.length === 0) continue
      try {
        await this.writeGroup(group)
        for (const { done } of group.written) done()
        this.onAppend()
      } catch (error) {
        for (const one of group.written) {
          this.room.take(one.record.agent_id, -one.bytes)
          one.done(error)
        }
      }
    }
    // No `await` may stand between the check of the queue and this assignment. Otherwise a record could be queued in between,
    // and no write would start for that record.
    this.isWriting = false
  }

  /** Gives the queued records their places in the chain, and reserves room for them. Rejects the records that do not fit. */
  private admit(queued: readonly Queued[]): Group {
    const { kid } = this
    const group: Group = { kid, head: kid === null ? emptyChain : this.headOf(kid, this.home), written: [] }
    for (const one of queued) {
      const { agent_id } = one.record
      const chained = kid === null ? { line: `${one.text}\n`, head: emptyChain } : chainLine(one.text, group.head)
      const line = one.kept === null ? chained.line : lineWith(chained.line, one.kept)
      const bytes = sizeOf(line)
      if (!this.room.has(agent_id, bytes)) {
        one.done(new SpoolFull(`the spool holds ${this.bytes} bytes and has no room left for this agent`))
        continue
      }
      this.room.take(agent_id, bytes)
      group.head = chained.head
      group.written.push({ ...one, line, bytes })
    }
    return group
  }

  private async writeGroup({ kid, head, written }: Group): Promise<void> {
    const bytes = Buffer.from(written.map(({ line }) => line).join(''))
    const segment = await this.segmentFor(this.settings.now(), kid)
    this.appending = segment
    try {
      await segment.append(bytes, this.settings.fsync === 'each')
      this.bytes += bytes.length
      if (kid !== null) this.heads.set(kid, head)
      for (const { record, bytes: own } of written) this.count(segment.windowMs, record, own)
    } catch (error) {
      // The write could not be undone, so a part of the lines may be on disk. Their places in the chain are not given again.
      if (kid !== null && segment.closed) this.heads.set(kid, head)
      throw error
    } finally {
      this.appending = null
    }
  }

  private async segmentFor(wallMs: number, kid: string | null): Promise<Segment> {
    const last = this.segments.findLast((segment) => this.homes.get(segment) === this.home)
    // If the clock goes back, the later window stays in use, because the counts of an earlier window may already be reported.
    const before = [last?.windowMs ?? 0, this.floorMs].filter((startMs) => !isAhead(startMs, wallMs))
    const windowMs = Math.max(windowAt(wallMs, this.settings.offsetMs), ...before)
    const isOpen = last && last.windowMs === windowMs && last.kid === kid && !last.closed
    if (isOpen && last.size < this.settings.segmentBytes) return last
    const { folder } = this.home
    const name: SegmentName = { windowMs, number: this.nextNumber++, kid }
    const segment = await Segment.open(join(folder, segmentFile(name)), name)
    this.segments.push(segment)
    this.homes.set(segment, this.home)
    this.windowOf(windowMs)
    await last?.sync()
    await last?.close()
    if (this.settings.fsync === 'each') await syncFolder(folder)
    return segment
  }

  private windowOf(windowMs: number): WindowState {
    const window = this.windows.get(windowMs) ?? { counts: new Map(), bytes: new Map(), reported: false }
    this.windows.set(windowMs, window)
    return window
  }

  private count(windowMs: number, record: DecisionRecord, bytes: number): void {
    const { agent_id, effect, of } = record
    const window = this.windowOf(windowMs)
    window.bytes.set(agent_id, (window.bytes.get(agent_id) ?? 0) + bytes)
    // The record describes the result of a call. The decision on the call has a record of its own.
    if (of !== undefined) return
    window.reported = false
    const counts = window.counts.get(agent_id) ?? { allow: 0, deny: 0, require_approval: 0 }
    counts[effect]++
    window.counts.set(agent_id, counts)
  }

  /** Opens the segments of a folder in the order in which they were written. Counts their records and follows their chains. */
  private async load(home: Home): Promise<Segment[]> {
    const loaded: Segment[] = []
    for (const { file, ...name } of await segmentsIn(home.folder)) {
      if (home === this.home) this.nextNumber = Math.max(this.nextNumber, name.number + 1)
      const segment = await Segment.open(join(home.folder, file), name)
      const { lines, sizes } = readLines(await segment.read(0, segment.size), Number.POSITIVE_INFINITY, name.kid)
      const records = lines.filter((record) => record !== null)
      // A later segment of the same key has the end of its chain, so it stays with the segment that waits.
      const isOurs = home.keys.isOurs(name.kid, new Set(records.map(({ agent_id }) => agent_id)))
      if (!isOurs || home.waiting.has(name.kid)) {
        home.waiting.add(name.kid)
        continue
      }
      loaded.push(segment)
      this.homes.set(segment, home)
      this.windowOf(name.windowMs)
      // The segments of another spool use no room here. Otherwise an edge that takes over a full spool would deny its own calls.
      const isOwn = home === this.home
      if (isOwn) this.bytes += segment.size
      for (const [index, record] of records.entries()) {
        const bytes = isOwn ? (sizes[index] as number) : 0
        this.room.take(record.agent_id, bytes)
        this.count(name.windowMs, record, bytes)
      }
      if (name.kid !== null) this.heads.set(name.kid, followChain(this.headOf(name.kid, home), lines))
    }
    return loaded
  }

  private headOf(kid: string, { keys }: Home): ChainHead {
    return this.heads.get(kid) ?? keys.headOf(kid) ?? emptyChain
  }

  /** Retires the keys whose last segments are in `leaving`. Returns false if this fails. */
  private async retireKeys(leaving: readonly Segment[]): Promise<boolean> {
    const staying = new Set(this.segments.filter((one) => !leaving.includes(one)).map(({ kid }) => kid))
    try {
      for (const segment of leaving) {
        const [kid, home] = [segment.kid, this.homes.get(segment)]
        if (kid === null || home === undefined || staying.has(kid) || home.waiting.has(kid)) continue
        staying.add(kid)
        await home.keys.retire(kid, this.headOf(kid, home))
      }
      return true
    } catch {
      return false
    }
  }

  private async remove(segment: Segment): Promise<void> {
    this.segments.splice(this.segments.indexOf(segment), 1)
    const home = this.homes.get(segment)
    if (home === this.home) this.bytes -= segment.size
    await segment.close()
    await rm(segment.path, { force: true })
    if (home && !this.segments.some((other) => this.homes.get(other) === home)) home.onEmpty()
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

/** Adds to the line of a record what is kept of the arguments. */
function lineWith(line: string, kept: KeptArguments): string {
  return `${line.slice(0, -2)},"kept_arguments":${JSON.stringify(kept)}}\n`
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line)
}

/** Whether a folder of a spool has segments. */
export async function hasSegments(folder: string): Promise<boolean> {
  return (await segmentsIn(folder)).length > 0
}

/** The segments in a folder, in the order in which they were written. */
async function segmentsIn(folder: string): Promise<(SegmentName & { file: string })[]> {
  const files = await readdir(folder).catch(() => [])
  return files
    .flatMap((file) => {
      const name = readSegmentFile(file)
      return name ? [{ file, ...name }] : []
    })
    .sort((a, b) => a.number - b.number || a.windowMs - b.windowMs)
}

interface ReadLines {
  /** One entry for each line. Null for a damaged line. */
  lines: (DecisionRecord | null)[]
  records: DecisionRecord[]
  /** The number of bytes of the line of each record. */
  sizes: number[]
  kept: KeptArguments[]
  damaged: number
  /** The number of bytes that were read. */
  length: number
}

/** Reads the first `most` records. Skips damaged lines and counts them. */
function readLines(bytes: Buffer, most: number, kid: string | null): ReadLines {
  const lines: (DecisionRecord | null)[] = []
  const records: DecisionRecord[] = []
  const sizes: number[] = []
  const kept: KeptArguments[] = []
  let length = 0
  while (records.length < most && length < bytes.length) {
    const end = bytes.indexOf(0x0a, length)
    const line = readLine(bytes.toString('utf8', length, end), kid)
    lines.push(line?.record ?? null)
    if (line !== null) {
      records.push(line.record)
      sizes.push(end + 1 - length)
      if (line.kept !== undefined) kept.push(line.kept)
    }
    length = end + 1
  }
  return { lines, records, sizes, kept, damaged: lines.length - records.length, length }
}

/**
 * Parses a line. Returns null if the line is not a record. A record needs an agent and an effect, because decisions are
 * counted by both. A record of a key needs its place in the chain of the key.
 */
function readLine(line: string, kid: string | null): { record: DecisionRecord; kept?: KeptArguments } | null {
  try {
    const { kept_arguments: kept, ...record } = JSON.parse(line)
    if (typeof record.agent_id !== 'string' || !isEffect(record.effect)) return null
    return kid === null || isChained(record) ? { record, kept } : null
  } catch {
    return null
  }
}

/**
 * The head of a chain after these lines. A damaged line at the end also had a place in the chain. The place is not given again,
 * because the control plane may know the record.
 */
function followChain(start: ChainHead, lines: readonly (DecisionRecord | null)[]): ChainHead {
  let { seq } = start
  let last: ChainedRecord | null = null
  for (const record of lines) {
    if (record === null) seq++
    else if (isChained(record) && record.seq > seq) {
      last = record
      seq = record.seq
    }
  }
  return { seq, hash: last === null ? start.hash : hashAfter(last) }
}

function hashAfter(record: ChainedRecord): string {
  try {
    return headAfter(record).hash
  } catch {
    // The record was changed on disk so that it has no hash. The control plane finds that the chain is broken here.
    return record.prev
  }
}

function isEffect(value: unknown): value is keyof EffectCounts {
  return value === 'allow' || value === 'deny' || value === 'require_approval'
}
