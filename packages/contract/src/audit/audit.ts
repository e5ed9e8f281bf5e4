import { z } from 'zod'
import { manager, viewer } from '../endpoint/access.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import { includeNames } from '../endpoint/names.ts'
import { limit, oneOf, text, timestamp, uuid } from '../fields/fields.ts'

export const AuditEntry = z
  .object({
    id: uuid.describe('Id of the audit entry.'),
    source: oneOf(['control_plane', 'edge']).describe(
      '`control_plane`: a change made through the API or by the service. `edge`: a report of an edge.',
    ),
    event_type: z.string().describe('What happened, such as `api_key.created`.'),
    outcome: z.string().describe('`success` in every entry of this version.'),
    actor: z
      .object({
        type: z.string().describe('`person`, `api_key`, `edge`, `agent`, `operator` or `system`.'),
        user_id: uuid.nullable().describe('Id of the user. Null for an actor that is no user.'),
        name: z.string().describe('Name of the actor when the entry was written.'),
        email: z
          .string()
          .describe('Address of the user when the entry was written. Empty for an actor that is no user.'),
      })
      .describe('Who made the change.'),
    api_key: z
      .object({
        id: uuid.describe('Id of the API key.'),
        prefix: z.string().describe('First 8 characters of the API key.'),
        name: z.string().describe('Name of the API key when the entry was written.'),
      })
      .optional()
      .describe('API key that made the request. Absent if none did.'),
    resource: z
      .object({
        type: z.string().describe('Kind of the resource, such as `agent` or `api_key`.'),
        id: uuid.nullable().describe('Id of the resource. Null if it has none.'),
        name: z.string().describe('Name of the resource when the entry was written.'),
      })
      .describe('What was changed.'),
    agent_id: uuid.optional().describe('Agent that the entry is about. Absent if it is about no agent.'),
    environment_id: uuid
      .optional()
      .describe('Environment that the entry is about. Absent if it is about no environment.'),
    details: z
      .record(z.string(), z.unknown())
      .describe('What changed, such as the old and the new value. The keys depend on `event_type`.'),
    request_id: z.string().describe('Id of the request, as its answer had it in `X-Request-Id`.'),
    ip: z.string().describe('Address of the client. Empty if there was no request.'),
    user_agent: z.string().describe('`User-Agent` header of the request, at most 500 characters.'),
    created_at: timestamp.describe('When the change was made.'),
    seq: z
      .int()
      .optional()
      .describe(
        'Place in the chain, counted from 1. Only for callers who may verify the trail. Absent until the entry is sealed.',
      ),
    hash: z
      .string()
      .optional()
      .describe('Hash of the chain up to this entry, as 64 hexadecimal characters. Present together with `seq`.'),
    previous_hash: z
      .string()
      .optional()
      .describe('Hash of the chain up to the entry before; 64 zeros for the first entry. Present together with `seq`.'),
  })
  .meta({
    id: 'AuditEntry',
    description:
      'One change: who, what, when. Names are those of the time of the entry, and stay when the user or resource is gone.',
  })
export type AuditEntry = z.output<typeof AuditEntry>

const word = text({ max: 200 }).optional()

export const AuditFilters = z.object({
  source: oneOf(['control_plane', 'edge']).optional().describe('Only entries of this source.'),
  event_type: word.describe(
    'Only entries of this event type, such as `api_key.created`, or of all types with a prefix, such as `api_key.*`.',
  ),
  actor_id: uuid.optional().describe('Only entries whose actor is this user.'),
  resource_type: word.describe('Only entries about resources of this kind, such as `policy`.'),
  resource_id: uuid.optional().describe('Only entries about this resource.'),
  agent_id: uuid.optional().describe('Only entries about this agent.'),
  from: timestamp.optional().meta({ description: 'Entries written at this time or later.' }),
  to: timestamp.optional().meta({ description: 'Entries written before this time.' }),
})
export type AuditFilters = z.output<typeof AuditFilters>

/** Reasons why a trail is invalid. A verdict names the first fault. */
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
  reason: oneOf(auditFaults).describe('What is wrong at this place of the trail.'),
  seq: z.int().optional().describe('Place in the chain. Absent if the fault has no place.'),
  entry_id: uuid.optional().describe('Id of the audit entry. Absent if it is unknown.'),
})
export type AuditFault = z.output<typeof AuditFault>

export const ChainHead = z.object({
  seq: z.int().describe('Place of the last sealed entry, counted from 1.'),
  chain_hash: z.string().describe('Hash of the chain up to that place, as 64 hexadecimal characters.'),
})
export type ChainHead = z.output<typeof ChainHead>

export const AuditVerdict = z
  .object({
    valid: z.boolean().describe('True if the whole trail is as it was written.'),
    entries: z.int().describe('How many entries were checked and are valid.'),
    head: ChainHead.nullable().describe('Last sealed place of the trail. Null before the first seal.'),
    pending: z
      .int()
      .describe('How many entries wait to be sealed. They are not in the chain yet. At most 10,000 are counted.'),
    first_bad: AuditFault.optional().describe('The first fault. Absent if the trail is valid.'),
  })
  .meta({ id: 'AuditVerdict', description: 'Result of checking the whole audit trail.' })
export type AuditVerdict = z.output<typeof AuditVerdict>

const count = z.int()

export const AuditProof = z
  .object({
    entries: count.describe('Number of entries in the trail: the sealed ones and those in `waiting`.'),
    first_at: timestamp.nullable().describe('When the first entry was written. Null for an empty trail.'),
    head: ChainHead.nullable().describe('Last sealed place of the trail. Null before the first seal.'),
    sealed_through: timestamp
      .nullable()
      .describe(
        'Entries that were written before this time are sealed: the time of the last signed checkpoint, or of the oldest waiting entry if that is earlier. Null before the first seal.',
      ),
    waiting: count.meta({
      maximum: 10_000,
      description: 'Number of entries that wait to be sealed. 10,000 means 10,000 or more.',
    }),
    last_verification: z
      .object({
        at: timestamp.describe('When the verification began.'),
        valid: z.boolean().describe('True if the whole trail was as it was written.'),
        entries: count.describe('Number of entries that were checked and are valid.'),
        took_ms: count.describe('How long the verification took, in milliseconds.'),
        by: z
          .object({
            user_id: uuid.describe('Id of the user.'),
            name: z
              .string()
              .nullable()
              .describe('Name or address of the user at that time. Null if the user was gone.'),
          })
          .nullable()
          .describe('User who asked for the verification. Null for the daily verification.'),
      })
      .nullable()
      .describe(
        'Result of the last daily verification, or of one that `POST /audit/verifications` started. Null before the first.',
      ),
    hours: z
      .array(
        z.object({
          start: timestamp.describe('Start of the hour in UTC.'),
          entries: count.describe('Number of entries that were written in this hour.'),
          sealed: count.describe('Number of these entries that are sealed.'),
        }),
      )
      .describe('The last 24 hours, oldest first. The last one is the current hour.'),
  })
  .meta({
    id: 'AuditProof',
    description:
      'What proves the audit trail, without reading it. The counts are of the whole tenant, because every caller who may verify the trail learns its length.',
  })
export type AuditProof = z.output<typeof AuditProof>

const headPattern = /^([1-9]\d{0,14}):([0-9a-f]{64})$/

/** Parses the head of a chain in the form `<seq>:<chain_hash>`. Returns undefined for other text. */
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
      'Entries about people, keys and the organization are shown to owners and managers who see the whole tenant. Entries about agents and policies are shown to callers who see the agent or policy. One request reads at most 5,000 entries of one filter. So a page may have fewer entries than `limit`, even zero, and still a `next_cursor`. The last page has no `next_cursor`.',
    access: viewer,
    query: AuditFilters.extend({
      limit: limit(),
      cursor: text({ max: 200 })
        .optional()
        .describe('The `next_cursor` of the page before. Leave it out for the first page.'),
      include: includeNames,
    }),
    answers: {
      200: z.object({
        data: z.array(AuditEntry).describe('Entries of this page, newest first.'),
        next_cursor: z
          .string()
          .optional()
          .describe('Send it as `cursor` to read the next page. Absent on the last page.'),
      }),
    },
    errors: [400],
  }),
  exportAuditEntries: endpoint({
    method: 'GET',
    path: '/audit/export',
    tag,
    summary: 'Export audit entries, oldest first, one JSON object a line',
    description:
      'Managers and owners get lines that can be verified. Entries carry their seal, a withheld entry has a line with its hash, and signed checkpoints are between them. The last line is signed: it names the head of the trail and the number of entries that wait to be sealed. `mandate audit verify` checks such a file offline. At most 500 waiting entries are sealed before the export.',
    access: viewer,
    query: AuditFilters,
    answers: { 200: z.string() },
    errors: [400],
    produces: 'application/x-ndjson',
  }),
  getAuditProof: endpoint({
    method: 'GET',
    path: '/audit/proof',
    tag,
    summary: 'Read what proves the audit trail',
    description:
      'The length of the trail, the head of its chain, and the last verification. It does not verify the trail. An entry that was sealed after newer entries counts in a later hour.',
    access: manager,
    query: z.object({ include: includeNames }),
    answers: { 200: AuditProof },
    errors: [400, 403],
  }),
  startAuditVerification: endpoint({
    method: 'POST',
    path: '/audit/verifications',
    tag,
    summary: 'Start a verification of the audit trail',
    description:
      'A job verifies the whole trail and stores the result, which `GET /audit/proof` shows as `last_verification`. While a verification waits or runs, a second request starts none.',
    access: { ...manager, readOnlyUsers: true },
    answers: { 202: null },
    errors: [403],
  }),
  verifyAuditTrail: endpoint({
    method: 'GET',
    path: '/audit/verify',
    tag,
    summary: 'Verify the audit trail',
    description:
      'Recomputes the whole chain of hashes. At most 500 waiting entries are sealed first. `pending` counts the entries that still wait: the verdict is about the sealed ones.',
    access: manager,
    query: z.object({
      through: text({ max: 100 })
        .regex(headPattern, 'must be <seq>:<64 hexadecimal digits>')
        .optional()
        .meta({ description: 'A head that was recorded earlier: its `seq`, a colon and its `chain_hash`.' }),
    }),
    answers: { 200: AuditVerdict },
    errors: [400, 403],
  }),
}
