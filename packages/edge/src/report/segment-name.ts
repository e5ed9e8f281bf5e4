import { createHash } from 'node:crypto'

/**
 * The parts of the name of a spool file. A reporting window is one minute of the wall clock. The name of every segment
 * contains the start of the segment's window.
 */
export interface SegmentName {
  windowMs: number
  number: number
}

/** The length of a reporting window. All windows have the same length, so their ends are not stored. */
export const windowLengthMs = 60_000

/**
 * The start of each reporting window within the minute. Instances use different offsets, because a second report for the same
 * window replaces the first.
 */
export function windowOffset(instanceId: string): number {
  return Number.parseInt(createHash('sha256').update(instanceId).digest('hex').slice(0, 8), 16) % windowLengthMs
}

/** Returns the start of the reporting window that contains a time. */
export function windowAt(wallMs: number, offsetMs: number): number {
  return Math.floor((wallMs - offsetMs) / windowLengthMs) * windowLengthMs + offsetMs
}

export function segmentFile({ windowMs, number }: SegmentName): string {
  return `${String(windowMs).padStart(15, '0')}-${String(number).padStart(9, '0')}.ndjson`
}

/** Parses the name of a file. Returns null if the file is not a segment. */
export function readSegmentFile(file: string): SegmentName | null {
  const found = /^(\d{15})-(\d{9})\.ndjson$/.exec(file)
  return found && { windowMs: Number(found[1]), number: Number(found[2]) }
}
