import { z } from 'zod'
import { AuditEntry, AuditFault, ChainHead } from './audit.ts'

/** The chain hash before the first entry: 32 zero bytes. Every hash is written as 64 lower-case hex characters. */
export const genesisHash = '0'.repeat(64)

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

/** The content that an entry's hash covers. Lists every field, so that a new field of entries does not change old hashes. */
export function sealedForm(entry: SealableEntry): Record<string, unknown> {
  const { actor, api_key, resource } = entry
  return {
    tenant_id: entry.tenant_id,
    category: entry.category,
    id: entry.id,
    source: entry.source,
    event_type: entry.event_type,
    outcome: entry.outcome,
    actor: { type: actor.type, user_id: actor.user_id, name: actor.name, email: actor.email },
    ...(api_key && { api_key: { id: api_key.id, prefix: api_key.prefix, name: api_key.name } }),
    resource: { type: resource.type, id: resource.id, name: resource.name },
    ...(entry.agent_id && { agent_id: entry.agent_id }),
    ...(entry.environment_id && { environment_id: entry.environment_id }),
    details: entry.details,
    request_id: entry.request_id,
    ip: entry.ip,
    user_agent: entry.user_agent,
    created_at: entry.created_at,
  }
}

/** Returns the content that is signed for a checkpoint. */
export function checkpointForm(checkpoint: Omit<AuditCheckpoint, 'kid' | 'signature'>) {
  const { tenant_id, seq, chain_hash, signed_at, previous_seq } = checkpoint
  return { tenant_id, seq, chain_hash, signed_at, ...(typeof previous_seq === 'number' && { previous_seq }) }
}

/**
 * Returns the content that is signed for the last line of an export. The field `purpose` makes this content different from the
 * content of a checkpoint, so the signature of a checkpoint is not valid for an export.
 */
export function exportEndForm({ kid: _kid, signature: _signature, ...end }: AuditExportEnd) {
  return { purpose: 'mandate audit export', ...end }
}
