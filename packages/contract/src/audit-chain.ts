import { z } from 'zod'
import { AuditEntry } from './audit.ts'

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
  kid: z.string(),
  signature: z.string(),
})
export type AuditCheckpoint = z.output<typeof AuditCheckpoint>

/** An entry with what else is sealed of it. `category` is who may see it. */
export const SealableEntry = AuditEntry.extend({ tenant_id: z.string(), category: z.string() })
export type SealableEntry = z.output<typeof SealableEntry>

/**
 * A line of an export that can be verified: in the chain's order, from a checkpoint (or the chain's beginning) to a
 * checkpoint. Entries that the export leaves out stand as their hashes.
 */
export const AuditExportLine = z.union([
  z.object({ checkpoint: AuditCheckpoint }),
  z.object({ omitted: z.object({ from_seq: seq, entry_hashes: z.array(hash) }) }),
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
export function checkpointForm({ tenant_id, seq, chain_hash, signed_at }: Omit<AuditCheckpoint, 'kid' | 'signature'>) {
  return { tenant_id, seq, chain_hash, signed_at }
}
