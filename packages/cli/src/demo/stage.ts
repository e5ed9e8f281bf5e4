import type { Narrator } from './narrator.ts'

/** The shared context of the demonstration's steps. */
export interface Stage {
  /** The folder for all files that the demonstration writes. Its path contains no symbolic link. */
  folder: string
  /** Aborted when the user interrupts the demonstration. */
  signal: AbortSignal
  narrator: Narrator
  /** Registers a cleanup function. When the demonstration ends, cleanup functions run in reverse order of registration. */
  atEnd(end: () => Promise<unknown>): void
}
