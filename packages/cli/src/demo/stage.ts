import type { Narrator } from './narrator.ts'

/** What every part of the demonstration works with. */
export interface Stage {
  /** Holds all that the demonstration writes; no link in its path. */
  folder: string
  /** Aborted when the person has seen enough. */
  signal: AbortSignal
  narrator: Narrator
  /** Has something ended when the demonstration is over; the last first. */
  atEnd(end: () => Promise<unknown>): void
}
