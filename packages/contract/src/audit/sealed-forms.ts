// What the hashes and signatures of the audit trail cover. Without the schema library, because browsers verify the trail too.

import type { AuditCheckpoint, AuditExportEnd, SealableEntry } from './audit-chain.ts'

/** The chain hash before the first entry: 32 zero bytes. Every hash is written as 64 lower-case hex characters. */
export const genesisHash = '0'.repeat(64)

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
  // Last, so that no line can name another purpose.
  return { ...end, purpose: 'mandate audit export' }
}
