import type { AuditVerdict } from '@mandate/contract/audit'
import type { AuditExportLine } from '@mandate/contract/audit-chain'
import { type ChainHead, ChainWalk, type CheckpointKeys, type FirstBad, keyId } from '@mandate/policy/audit-chain'
import { readLine } from './read-line.ts'

export interface ExportVerdict extends AuditVerdict {
  /** The number of the entry that the export begins after: 0 for a whole chain. */
  after: number
  /** Entries that the export leaves out and shows the hashes of. */
  omitted: number
}

export interface VerifyOptions {
  /** A place in the chain, known from elsewhere, that the export must pass through. */
  through?: ChainHead | undefined
}

/**
 * Verifies an export of the audit trail line by line, without the service: every entry against its seal, the chain from
 * the first line to the last, and the signatures of the checkpoints that enclose it.
 * @param keys the service's public keys, PEM; a checkpoint by any other is not believed
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  keys: string | readonly string[],
  { through }: VerifyOptions = {},
): Promise<ExportVerdict> {
  const pems = typeof keys === 'string' ? [keys] : keys
  const reading = new ExportReading(new Map(pems.map((pem) => [keyId(pem), pem])), through)
  for await (const text of lines) {
    if (text.trim() !== '' && reading.take(readLine(text))) break
  }
  return reading.verdict()
}

class ExportReading {
  private readonly walk: ChainWalk
  private readonly through: ChainHead | undefined
  private passed: boolean
  private isFirst = true
  private after = 0
  private omitted = 0
  private fault: FirstBad | undefined

  constructor(keys: CheckpointKeys, through: ChainHead | undefined) {
    this.walk = new ChainWalk(keys)
    this.through = through
    this.passed = through === undefined
  }

  /** Takes a line and answers what is wrong with it. */
  take(line: AuditExportLine | undefined): FirstBad | undefined {
    this.fault = line ? this.step(line) : this.here('line_unreadable')
    this.isFirst = false
    return this.fault
  }

  verdict(): ExportVerdict {
    const { walk, after, omitted } = this
    const first_bad = this.fault ?? (walk.signed ? walk.finish() : this.here('checkpoint_missing')) ?? this.unpassed()
    return {
      valid: !first_bad,
      entries: walk.entries,
      after,
      omitted,
      head: walk.head,
      ...(first_bad && { first_bad }),
    }
  }

  private step(line: AuditExportLine): FirstBad | undefined {
    if ('checkpoint' in line) {
      if (!this.isFirst) return this.walk.passCheckpoint(line.checkpoint)
      this.after = line.checkpoint.seq
      return this.walk.startAt(line.checkpoint) ?? this.compare()
    }
    if ('seal' in line) return this.walk.passEntry(line, line.seal) ?? this.compare()
    return this.passOmitted(line.omitted)
  }

  private passOmitted({ from_seq, entry_hashes }: { from_seq: number; entry_hashes: string[] }): FirstBad | undefined {
    for (const [index, hash] of entry_hashes.entries()) {
      const fault = this.walk.passHash(from_seq + index, hash) ?? this.compare()
      if (fault) return fault
      this.omitted++
    }
  }

  private compare(): FirstBad | undefined {
    if (this.walk.head?.seq !== this.through?.seq || !this.through) return undefined
    this.passed = true
    if (this.walk.head?.chain_hash !== this.through.chain_hash) return this.here('head_changed')
  }

  private unpassed(): FirstBad | undefined {
    return this.passed ? undefined : { reason: 'seal_missing', seq: this.through?.seq }
  }

  private here(reason: FirstBad['reason']): FirstBad {
    const seq = this.walk.head?.seq
    return { reason, ...(seq !== undefined && { seq }) }
  }
}
