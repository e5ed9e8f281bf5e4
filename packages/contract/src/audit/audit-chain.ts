import { z } from 'zod'
import { AuditEntry, AuditFault, ChainHead } from './audit.ts'

/** Every hash is written as 64 lower-case hex characters. */
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const seq = z.int().min(1)

export const AuditSeal = z.object({ seq, entry_hash: hash, chain_hash: hash })
export type AuditSeal = z.output<typeof AuditSeal>

export const AuditCheckpoint = z.object({
  tenant_id: z.string(),
  seq,
  chain_hash: hash,
  signed_at: z.string(),
  /** The `seq` of the previous checkpoint, or 0 for the first checkpoint. Checkpoints that older versions made do not have this field. */
  previous_seq: z.int().min(0).nullish(),
  kid: z.string(),
  signature: z.string(),
})
export type AuditCheckpoint = z.output<typeof AuditCheckpoint>

/** An entry with all fields that its seal covers. `category` determines who may see the entry. */
export const SealableEntry = AuditEntry.extend({ tenant_id: z.string(), category: z.string() })
export type SealableEntry = z.output<typeof SealableEntry>

/** An entry of the chain for which the export contains only the entry's hash. */
const hashOnly = z.object({ seq, entry_hash: hash })

/** The signed last line of an export: what the export contains, and the state of the trail at that time. */
export const AuditExportEnd = z.object({
  tenant_id: z.string(),
  /** The `seq` of the last entry before the export. It is 0 if the export starts with the first entry of the chain. */
  after: z.int().min(0),
  /** The `seq` of the last entry in the export. */
  seq: z.int().min(0),
  /** SHA-256 over one character for each `seq` of the export: `e` for an entry, `w` for a withheld one, `m` for a missing one. */
  shape: hash,
  /** The head of the whole trail, which may be after the end of the export. Null before the first seal. */
  head: ChainHead.nullable(),
  last_seal: z.int().min(0),
  last_checkpoint: z.int().min(0),
  /** The number of entries that were not sealed yet. Counting stops at 10,000. */
  pending: z.int().min(0),
  /** Faults of the trail that concern no line of the export, such as an entry that was inserted without a seal. */
  faults: z.array(AuditFault),
  exported_at: z.string(),
  kid: z.string(),
  signature: z.string(),
})
export type AuditExportEnd = z.output<typeof AuditExportEnd>

/**
 * A line of a verifiable export. Lines are in chain order. An export starts with the first entry of the chain or with a
 * checkpoint. After the last entry, it has a checkpoint and the line `end`. `withheld` is an entry that the filters or the
 * caller's rights exclude. `missing` is an entry that the database no longer has.
 */
export const AuditExportLine = z.union([
  z.object({ checkpoint: AuditCheckpoint }),
  z.object({ withheld: hashOnly }),
  z.object({ missing: hashOnly }),
  z.object({ end: AuditExportEnd }),
  SealableEntry.extend({ seal: AuditSeal }),
])
export type AuditExportLine = z.output<typeof AuditExportLine>
