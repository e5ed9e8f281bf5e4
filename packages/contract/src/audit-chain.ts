import { z } from 'zod'
import { AuditEntry, AuditFault, ChainHead } from './audit.ts'

/** The chain's hash before its first entry: 32 zero bytes. All hashes are written as 64 lower-case hex characters. */
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
  /** The `seq` of the checkpoint before it, 0 for the first. Absent from checkpoints of versions that did not write it. */
  previous_seq: z.int().min(0).nullish(),
  kid: z.string(),
  signature: z.string(),
})
export type AuditCheckpoint = z.output<typeof AuditCheckpoint>

/** An entry with what else is sealed of it. `category` is who may see it. */
export const SealableEntry = AuditEntry.extend({ tenant_id: z.string(), category: z.string() })
export type SealableEntry = z.output<typeof SealableEntry>

/** A place in the chain of which an export has the hash and not the entry. */
const hashOnly = z.object({ seq, entry_hash: hash })

/** The last line of an export: what the service exported, and what it knew of the trail at that time. Signed. */
export const AuditExportEnd = z.object({
  tenant_id: z.string(),
  /** The `seq` that the export begins after: 0 for the beginning of the chain. */
  after: z.int().min(0),
  /** The last `seq` of the export. */
  seq: z.int().min(0),
  /** SHA-256 over one character for each `seq` of the export: `e` for an entry, `w` for a withheld one, `m` for a missing one. */
  shape: hash,
  /** The head of the whole trail, beyond the export too. Null before the first seal. */
  head: ChainHead.nullable(),
  last_seal: z.int().min(0),
  last_checkpoint: z.int().min(0),
  /** Entries that were not sealed yet. At most 10,000 are counted. */
  pending: z.int().min(0),
  /** What is wrong with the trail and is in no line of the chain. */
  faults: z.array(AuditFault),
  exported_at: z.string(),
  kid: z.string(),
  signature: z.string(),
})
export type AuditExportEnd = z.output<typeof AuditExportEnd>

/**
 * A line of an export that can be verified: in the order of the chain, from its beginning or a checkpoint to a checkpoint.
 * `withheld` is an entry that the filters or the rights of the caller leave out. `missing` is one that the database no longer has.
 */
export const AuditExportLine = z.union([
  z.object({ checkpoint: AuditCheckpoint }),
  z.object({ withheld: hashOnly }),
  z.object({ missing: hashOnly }),
  z.object({ end: AuditExportEnd }),
  SealableEntry.extend({ seal: AuditSeal }),
])
export type AuditExportLine = z.output<typeof AuditExportLine>

/** What an entry's hash is taken over. Named field by field, so that a field added to entries changes no old hash. */
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

/** What a checkpoint's signature is over. */
export function checkpointForm(checkpoint: Omit<AuditCheckpoint, 'kid' | 'signature'>) {
  const { tenant_id, seq, chain_hash, signed_at, previous_seq } = checkpoint
  return { tenant_id, seq, chain_hash, signed_at, ...(typeof previous_seq === 'number' && { previous_seq }) }
}

/** What the signature of an export's last line is over. It never has the form of a checkpoint. */
export function exportEndForm({ kid: _kid, signature: _signature, ...end }: AuditExportEnd) {
  return { purpose: 'mandate audit export', ...end }
}
