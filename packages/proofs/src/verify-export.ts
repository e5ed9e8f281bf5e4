import type { AuditVerdict } from '@mandate/contract/audit/audit'
import type { AuditExportEnd, AuditExportLine, AuditSeal, SealableEntry } from '@mandate/contract/audit/audit-chain'
import { startSha256 } from '#crypto'
import { type ChainHead, ChainWalk, type CheckpointKeys, type FirstBad, keyId } from './audit-chain.ts'
import { isUnsealedEntry, readLine } from './export-lines.ts'

export interface ExportVerdict extends AuditVerdict {
  /** The organization of the trail; absent if no line names it. */
  tenant_id?: string
  /** The number of the entry directly before the first exported entry. It is 0 if the export starts with the first entry. */
  after: number
  /** Count of withheld entries. The export contains only their hashes. */
  withheld: number
  /** When the service made the export, ISO 8601; absent if the last line is missing. */
  exported_at?: string
  /** The ids of the keys that signed the export. */
  signed_by: string[]
}

/** The outcome for an export that has entries and no seals at all. It proves nothing, so it is neither valid nor altered. */
export interface NotVerifiable {
  verifiable: false
  reason: 'exported without seals'
  entries: number
}

export interface VerifyOptions {
  /** The head of the chain at an earlier time. The export must contain it. */
  through?: ChainHead | undefined
  /** Requires that the export contains the whole trail, that no entry is withheld, and that every entry is sealed. */
  complete?: boolean | undefined
  /** Expected organization of the trail. */
  tenantId?: string | undefined
  /** Called for each entry that is what was sealed, at its place of the chain. */
  onEntry?: ((entry: SealableEntry, seal: AuditSeal) => void) | undefined
}

/**
 * Verifies an export of the audit trail line by line, without the service. Checks each entry against its seal, checks that the
 * seals form a chain, and checks each checkpoint. Also checks the signed last line, which names the last sealed entry.
 * @param keys the service's public keys, PEM, newest first; signatures by other keys are rejected
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  keys: string | readonly string[],
  options: VerifyOptions = {},
): Promise<ExportVerdict | NotVerifiable> {
  const pems = typeof keys === 'string' ? [keys] : keys
  const reading = new ExportReading(new Map(pems.map((pem) => [keyId(pem), pem])), options)
  let unsealed = 0
  let lineCount = 0
  for await (const text of lines) {
    if (text.trim() === '') continue
    if (unsealed === lineCount++ && isUnsealedEntry(text)) unsealed++
    // Entries with and without seals in one file: someone removed or added lines.
    else if (reading.take(unsealed > 0 ? undefined : readLine(text))) break
  }
  if (unsealed > 0 && unsealed === lineCount)
    return { verifiable: false, reason: 'exported without seals', entries: unsealed }
  return reading.verdict()
}

class ExportReading {
  private readonly walk: ChainWalk
  private readonly isCompleteWanted: boolean
  private readonly onEntry: VerifyOptions['onEntry']
  private readonly shape = startSha256()
  private isFirst = true
  private after = 0
  private withheld = 0
  private end: AuditExportEnd | undefined
  private fault: FirstBad | undefined

  constructor(keys: CheckpointKeys, { through, complete = false, tenantId, onEntry }: VerifyOptions) {
    this.walk = new ChainWalk(keys, { through, tenantId })
    this.isCompleteWanted = complete
    this.onEntry = onEntry
  }

  /** Processes one line. Returns the fault in the line, or undefined. */
  take(line: AuditExportLine | undefined): FirstBad | undefined {
    this.fault = line ? this.step(line) : this.here('line_unreadable')
    this.isFirst = false
    return this.fault
  }

  verdict(): ExportVerdict {
    const { walk, after, withheld, end } = this
    const first_bad = this.fault ?? this.endFault() ?? this.incomplete()
    return {
      valid: !first_bad,
      ...(walk.tenantId !== undefined && { tenant_id: walk.tenantId }),
      entries: walk.entries,
      after,
      withheld,
      pending: end?.pending ?? 0,
      head: walk.head,
      ...(end && { exported_at: end.exported_at }),
      signed_by: [...walk.signedBy],
      ...(first_bad && { first_bad }),
    }
  }

  private step(line: AuditExportLine): FirstBad | undefined {
    if (this.end) return this.here('export_changed')
    if ('end' in line) {
      this.end = line.end
      return this.walk.checkExportEnd(line.end)
    }
    if ('checkpoint' in line) {
      if (!this.isFirst) return this.walk.passCheckpoint(line.checkpoint)
      this.after = line.checkpoint.seq
      return this.walk.startAt(line.checkpoint)
    }
    if ('seal' in line) {
      this.shape.update('e')
      const fault = this.walk.passEntry(line, line.seal)
      if (!fault) this.onEntry?.(line, line.seal)
      return fault
    }
    if ('missing' in line) {
      const { seq } = line.missing
      return this.walk.passHash(seq, line.missing.entry_hash) ?? { reason: 'entry_missing', seq }
    }
    this.shape.update('w')
    this.withheld++
    return this.walk.passHash(line.withheld.seq, line.withheld.entry_hash)
  }

  private endFault(): FirstBad | undefined {
    const { walk, end, after } = this
    const reached = walk.head?.seq ?? 0
    if (!end) return this.here('head_missing')
    if (after !== end.after) return { reason: 'seal_missing', seq: end.after + 1 }
    if (reached < end.seq) return { reason: 'seal_missing', seq: reached + 1 }
    if (reached > end.seq || this.shape.digest('hex') !== end.shape) return this.here('export_changed')
    return walk.checkEnds(end) ?? end.faults[0]
  }

  /** Checks that the export is complete, if the caller requires it. Returns the fault, or undefined. */
  private incomplete(): FirstBad | undefined {
    const { end, after, withheld } = this
    if (!this.isCompleteWanted || !end) return undefined
    const isWhole = after === 0 && withheld === 0 && end.pending === 0 && end.seq === end.head?.seq
    return isWhole ? undefined : this.here('export_incomplete')
  }

  private here(reason: FirstBad['reason']): FirstBad {
    const seq = this.walk.head?.seq
    return { reason, ...(seq !== undefined && { seq }) }
  }
}
