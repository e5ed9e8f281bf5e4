import { readFileSync } from 'node:fs'

/** A clock that all processes of a machine share and that never jumps. It begins again with each start of the machine. */
export interface SharedClock {
  /** Identifies the start of the machine. */
  readonly boot: string
  ms(): number
}

/** Returns null on a system that does not tell its starts apart. */
export function sharedClock(): SharedClock | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { boot, ms: () => Number(process.hrtime.bigint() / 1_000_000n) }
  } catch {
    return null
  }
}
