/** The state of the chain of a key. */
export interface ChainHead {
  /** Number and hash of the record that arrived last in the chain. 0 and 64 zeros before the first. */
  seq: number
  hash: string
  /** Highest number that arrived. Above `seq` after a fork. */
  highestSeq: number
}

/** A record with its place in the chain. */
export interface ChainRecord {
  agentId: string | null
  seq: number
  prev: string
  hash: string
  /** Whether exactly this record is stored already. */
  isStored: boolean
}

/** Numbers of a chain whose records are missing (`gap`), or a number that two different records have (`fork`). */
export interface Break {
  kind: 'gap' | 'fork'
  from: number
  to: number
  /** The agent of the first record after it. */
  agentId: string | null
}

export interface Followed {
  head: ChainHead
  breaks: Break[]
  /** Numbers of records that were missing and arrived now. */
  filled: number[]
}

/**
 * Follows the chain of a key through a batch. `isMissing` says whether a number is known to be missing. Records that are stored already
 * change nothing.
 */
export function followChain(
  start: ChainHead,
  records: readonly ChainRecord[],
  isMissing: (seq: number) => boolean,
): Followed {
  const breaks: Break[] = []
  const filled: number[] = []
  let { seq, hash, highestSeq } = start
  for (const record of records) {
    if (record.isStored) continue
    const continues = record.seq === seq + 1 && record.prev === hash
    if (!continues && record.seq <= seq && isMissing(record.seq)) {
      filled.push(record.seq)
      continue
    }
    if (record.seq > seq + 1) breaks.push({ kind: 'gap', from: seq + 1, to: record.seq - 1, agentId: record.agentId })
    else if (!continues) {
      const repeated = record.seq === seq + 1 ? Math.max(seq, 1) : record.seq
      breaks.push({ kind: 'fork', from: repeated, to: repeated, agentId: record.agentId })
    }
    ;({ seq, hash } = record)
    highestSeq = Math.max(highestSeq, seq)
  }
  return { head: { seq, hash, highestSeq }, breaks, filled }
}

export interface OpenGap {
  from: number
  to: number
}

/** Returns what is left of a gap after some of its records arrived. */
export function shrinkGap({ from, to }: OpenGap, filled: ReadonlySet<number>): OpenGap[] {
  const arrived = [...filled].filter((seq) => seq >= from && seq <= to).sort((a, b) => a - b)
  const left: OpenGap[] = []
  let next = from
  for (const seq of arrived) {
    if (seq > next) left.push({ from: next, to: seq - 1 })
    next = seq + 1
  }
  if (next <= to) left.push({ from: next, to })
  return left
}
