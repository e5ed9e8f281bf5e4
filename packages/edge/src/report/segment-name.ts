import { createHash } from 'node:crypto'

/** A part of the spool. All records of a window, a minute of the wall's clock, stand in segments that begin with its start. */
export interface SegmentName {
  windowMs: number
  number: number
}

/** How long a window is. They are all equally long, so that their ends need not be written down. */
export const windowLengthMs = 60_000

/** When the windows of an instance turn: edges of one agent must not report the same window, which would replace. */
export function windowOffset(instanceId: string): number {
  return Number.parseInt(createHash('sha256').update(instanceId).digest('hex').slice(0, 8), 16) % windowLengthMs
}

/** The start of the window that a time is in. */
export function windowAt(wallMs: number, offsetMs: number): number {
  return Math.floor((wallMs - offsetMs) / windowLengthMs) * windowLengthMs + offsetMs
}

export function segmentFile({ windowMs, number }: SegmentName): string {
  return `${String(windowMs).padStart(15, '0')}-${String(number).padStart(9, '0')}.ndjson`
}

/** Null for a file that is no segment. */
export function readSegmentFile(file: string): SegmentName | null {
  const found = /^(\d{15})-(\d{9})\.ndjson$/.exec(file)
  return found && { windowMs: Number(found[1]), number: Number(found[2]) }
}
