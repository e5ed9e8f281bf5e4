import { createHash } from 'node:crypto'

/**
 * The parts of the name of a segment (one file of the spool). The name contains the start of the segment's reporting window,
 * which is one minute of the wall clock. Segments of one spool get growing numbers.
 */
export interface SegmentName {
  windowMs: number
  number: number
  /** The key whose chain the records belong to. Null for records without a chain, which earlier versions wrote. */
  kid: string | null
}

/** The length of a reporting window. All windows have the same length, so their ends are not stored. */
export const windowLengthMs = 60_000

/**
 * Returns the offset of an instance's reporting windows, in milliseconds after a full minute. Instances have different offsets,
 * because a second report for the same window would replace the first.
 */
export function windowOffset(instanceId: string): number {
  return Number.parseInt(createHash('sha256').update(instanceId).digest('hex').slice(0, 8), 16) % windowLengthMs
}

/** Returns the start of the reporting window that contains a time. */
export function windowAt(wallMs: number, offsetMs: number): number {
  return Math.floor((wallMs - offsetMs) / windowLengthMs) * windowLengthMs + offsetMs
}

export function segmentFile({ windowMs, number, kid }: SegmentName): string {
  const key = kid === null ? '' : `-${kid}`
  return `${String(windowMs).padStart(15, '0')}-${String(number).padStart(9, '0')}${key}.ndjson`
}

/** Parses the name of a file. Returns null if it is not the name of a segment (one file of the spool). */
export function readSegmentFile(file: string): SegmentName | null {
  const found = /^(\d{15})-(\d{9})(?:-([0-9a-f]{16}))?\.ndjson$/.exec(file)
  return found && { windowMs: Number(found[1]), number: Number(found[2]), kid: found[3] ?? null }
}
