import { z } from 'zod'
import { manager, viewer } from './access.ts'
import { endpoint } from './endpoint.ts'
import { limit, oneOf, text, timestamp, uuid } from './fields.ts'

export const AuditEntry = z
  .object({
    id: uuid,
    source: oneOf(['control_plane', 'edge']),
    event_type: z.string(),
    outcome: z.string(),
    actor: z.object({
      type: z.string().meta({ description: '`person`, `api_key`, `edge`, `agent`, `operator` or `system`.' }),
      user_id: uuid.nullable(),
      name: z.string(),
      email: z.string(),
    }),
    api_key: z.object({ id: uuid, prefix: z.string(), name: z.string() }).optional(),
    resource: z.object({ type: z.string(), id: uuid.nullable(), name: z.string() }),
    agent_id: uuid.optional(),
    environment_id: uuid.optional(),
    details: z.record(z.string(), z.unknown()),
    request_id: z.string(),
    ip: z.string(),
    user_agent: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'AuditEntry', description: 'Names are as they were when it was written: they outlive what they name.' })
export type AuditEntry = z.output<typeof AuditEntry>

const word = text({ max: 200 }).optional()

export const AuditFilters = z.object({
  source: oneOf(['control_plane', 'edge']).optional(),
  event_type: word,
  actor_id: uuid.optional(),
  resource_type: word,
  resource_id: uuid.optional(),
  agent_id: uuid.optional(),
  from: timestamp.optional().meta({ description: 'Entries written at this time or later.' }),
  to: timestamp.optional().meta({ description: 'Entries written before this time.' }),
})
export type AuditFilters = z.output<typeof AuditFilters>

/** Why a trail does not hold; each names the first place where it does not. */
export const auditFaults = [
  'beginning_missing',
  'entry_changed',
  'entry_missing',
  'entry_unauthenticated',
  'entry_unsealed',
  'seal_changed',
  'seal_missing',
  'checkpoint_changed',
  'checkpoint_missing',
  'checkpoint_unverified',
  'head_changed',
  'head_missing',
  'line_unreadable',
  'export_changed',
  'export_incomplete',
] as const

export const AuditFault = z.object({
  reason: oneOf(auditFaults),
  seq: z.int().optional(),
  entry_id: uuid.optional(),
})
export type AuditFault = z.output<typeof AuditFault>

export const ChainHead = z.object({ seq: z.int(), chain_hash: z.string() })
export type ChainHead = z.output<typeof ChainHead>

export const AuditVerdict = z
  .object({
    valid: z.boolean(),
    entries: z.int().meta({ description: 'How many entries were checked and hold.' }),
    head: ChainHead.nullable(),
    pending: z.int().meta({
      description: 'How many entries wait to be sealed. They are not in the chain yet. At most 10,000 are counted.',
    }),
    first_bad: AuditFault.optional(),
  })
  .meta({ id: 'AuditVerdict' })
export type AuditVerdict = z.output<typeof AuditVerdict>

const headPattern = /^([1-9]\d{0,14}):([0-9a-f]{64})$/

/** Reads a head written as `<seq>:<chain_hash>`; undefined for other text. */
export function readHead(text: string): ChainHead | undefined {
  const [, seq, chain_hash] = headPattern.exec(text) ?? []
  return seq === undefined || chain_hash === undefined ? undefined : { seq: Number(seq), chain_hash }
}

const tag = 'Audit'

export const auditEndpoints = {
  listAuditEntries: endpoint({
    method: 'GET',
    path: '/audit',
    tag,
    summary: 'List audit entries, newest first',
    description:
      'Entries about people, keys and the organization are shown to owners and managers who see the whole tenant; entries about agents and policies to those who see the agent or the policy. One request looks at 5,000 entries of one filter at most: a page may have fewer entries than `limit`, even none, and still a `next_cursor`. The list ends with the page that has none.',
    access: viewer,
    query: AuditFilters.extend({ limit: limit(), cursor: text({ max: 200 }).optional() }),
    answers: { 200: z.object({ data: z.array(AuditEntry), next_cursor: z.string().optional() }) },
    errors: [400],
  }),
  exportAuditEntries: endpoint({
    method: 'GET',
    path: '/audit/export',
    tag,
    summary: 'Every audit entry the filters leave, oldest first, one JSON object a line',
    description:
      'For managers and owners the lines can be verified: entries carry their seal, a withheld entry has a line with its hash, signed checkpoints are between them, and a signed last line names the head of the trail and how many entries wait to be sealed. `mandate audit verify` checks such a file offline. At most 500 waiting entries are sealed before the export.',
    access: viewer,
    query: AuditFilters,
    answers: { 200: z.string() },
    errors: [400],
    produces: 'application/x-ndjson',
  }),
  verifyAuditTrail: endpoint({
    method: 'GET',
    path: '/audit/verify',
    tag,
    summary: 'Recompute the hash chain over the whole trail and check its signatures',
    description:
      'At most 500 waiting entries are sealed first. `pending` counts those that still wait: the verdict is about the sealed ones. `through` is a head noted earlier, which the trail must pass through.',
    access: manager,
    query: z.object({
      through: text({ max: 100 })
        .regex(headPattern, 'must be <seq>:<64 hexadecimal digits>')
        .optional()
        .meta({ description: 'A head noted earlier: its `seq`, a colon and its `chain_hash`.' }),
    }),
    answers: { 200: AuditVerdict },
    errors: [400, 403],
  }),
}
