import { createHash } from 'node:crypto'

/**
 * The name of a spool file. A window is a minute of the wall clock. Every segment of a window has the start of the window in
 * its name.
 */
export interface SegmentName {
  windowMs: number
  number: number
}

/** The length of a window. All windows have the same length, so their ends are not stored. */
export const windowLengthMs = 60_000

/**
 * The start of each reporting window within the minute. Instances use different offsets, because a second report for the same
 * window replaces the first.
 */
export function windowOffset(instanceId: string): number {
  return Number.parseInt(createHash('sha256').update(instanceId).digest('hex').slice(0, 8), 16) % windowLengthMs
}

/** The start of the window that contains a time. */
export function windowAt(wallMs: number, offsetMs: number): number {
  return Math.floor((wallMs - offsetMs) / windowLengthMs) * windowLengthMs + offsetMs
}

export function segmentFile({ windowMs, number }: SegmentName): string {
  return `${String(windowMs).padStart(15, '0')}-${String(number).padStart(9, '0')}.ndjson`
}

/** Null if the file is not a segment. */
export function readSegmentFile(file: string): SegmentName | null {
  const found = /^(\d{15})-(\d{9})\.ndjson$/.exec(file)
  return found && { windowMs: Number(found[1]), number: Number(found[2]) }
}
