import { z } from 'zod'
import { ChainLink, ContentMatch, DecisionRecord, ThreatSeen } from './edge.ts'
import { viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeNames } from './endpoint/names.ts'
import { date, limit, oneOf, text, timestamp, uuid } from './fields/fields.ts'
import { environmentId, nextPageToken, pageToken } from './fields/shared-fields.ts'
import { KeptArgument } from './kept-arguments.ts'
import { effects, governanceModes } from './words/policy-words.ts'

export const decisionIntegrities = ['signed', 'unsigned', 'broken'] as const
export const timelineBuckets = ['minute', 'hour', 'day'] as const
export const timelineGroups = ['effect', 'agent', 'tool', 'rule', 'policy'] as const
export const usageGroups = ['day', 'agent', 'policy', 'tool', 'environment'] as const
/** Maximum number of buckets of a timeline. */
export const maxTimelineBuckets = 1_000
/** Maximum number of keys of a timeline. The counts of further keys are added up under `other`. */
export const maxTimelineKeys = 20
/** Maximum number of days of a usage report. */
export const maxUsageDays = 800
/** Maximum number of rows of a usage report. The counts of further rows are added up under `other`. */
export const maxUsageRows = 500

const hash = z.string()

const named = (what: string) =>
  z.object({
    id: uuid.describe(`Id of the ${what}.`),
    name: z
      .string()
      .nullable()
      .describe(`Name of the ${what}. Null if it was deleted or may not be shown to the caller.`),
  })

const Receipt = z.object({
  kid: z.string().describe('Key that signed the record.'),
  seq: z.int().describe('Number of the record in the chain of the key.'),
  prev: hash.describe('Hash of the record before, as 64 hexadecimal characters.'),
  hash: hash.describe('Hash of the record, as 64 hexadecimal characters.'),
  checked_at: timestamp.describe('When the server verified the signature.'),
  anchored_by: uuid
    .nullable()
    .describe('Audit entry that holds the hash of this record or of a later record. Null until that entry is written.'),
})

export const Decision = z
  .object({
    decision_id: uuid.describe('Id of the decision.'),
    agent: named('agent').describe('Agent that made the call.'),
    edge: named('edge').nullable().describe('Edge that decided. Null if the decision came with an agent key.'),
    environment_id: environmentId.nullable().describe('Environment of the agent when the decision arrived.'),
    tool: z.string().describe('Tool of the call.'),
    effect: oneOf(effects).describe('What was decided.'),
    mode: oneOf(governanceModes).describe(
      '`enforce`: the effect was enforced. `monitor`: the call passed and the effect was recorded.',
    ),
    rule: named('rule').nullable().describe('Rule that decided. Null if no rule decided.'),
    denied_because: z
      .string()
      .nullable()
      .describe(
        'Why the call was denied, as `denied_because` of `DecisionRecord`. Null if it was not denied, or if the edge did not say why.',
      ),
    policy: z
      .object({
        id: uuid.describe('Id of the policy.'),
        name: z
          .string()
          .nullable()
          .describe('Name of the policy. Null if it was deleted or may not be shown to the caller.'),
        version: z.int().nullable().describe('Version that decided. Null if the edge had no policy.'),
        content_hash: hash.nullable().describe('Content hash of that version. Null if the record has none.'),
      })
      .nullable()
      .describe('Policy that decided. Null if the record names no policy.'),
    args_digest: z.string().describe('Digest of the arguments.'),
    kept_arguments: z
      .array(KeptArgument)
      .nullable()
      .optional()
      .describe(
        'Arguments that conditions of the policy read. Null if none are kept. Only in the answer about a single decision.',
      ),
    approval_id: uuid.nullable().describe('Approval that the call used or asked for. Null if there was none.'),
    session_id: z.string().nullable().describe('Session of the agent. Null if it is unknown.'),
    on_behalf_of: z.string().nullable().describe('For whom the agent acts, as its caller says. Null if it is unknown.'),
    chain: z.array(ChainLink).nullable().describe('Delegation under which the agent acts. Null if it is unknown.'),
    labels: z.array(z.string()).nullable().describe('Labels of the session at that time. Null if they are unknown.'),
    content: z.array(ContentMatch).nullable().describe('Content patterns that matched. Null if they are unknown.'),
    threat: ThreatSeen.nullable().describe('Known threat that the edge found. Null if it found none.'),
    duration_us: z.int().nullable().describe('How long the edge took to decide, in microseconds. Null if unknown.'),
    profile: z
      .object({
        hash: hash.describe('`profile_hash` of the profile.'),
        seq: z.int().describe('`profile_seq` of the profile.'),
      })
      .nullable()
      .describe('Mission profile that decided. Null if it is unknown.'),
    integrity: oneOf(decisionIntegrities).describe(
      '`signed`: the edge signed the record, and the chain before it is complete. `broken`: signed, but after a gap or a fork of the chain. `unsigned`: not signed.',
    ),
    receipt: Receipt.nullable().describe('Place of the record in the chain of its key. Null for an unsigned decision.'),
    at: timestamp.describe('When the edge decided.'),
    received_at: timestamp.describe('When the record arrived.'),
  })
  .meta({ id: 'Decision', description: 'What an edge decided about one call of an agent.' })
export type Decision = z.output<typeof Decision>

const filters = {
  agent_id: uuid.optional().describe('Only calls of this agent.'),
  policy_id: uuid.optional().describe('Only calls that this policy decided.'),
  rule_id: uuid.optional().describe('Only calls that this rule decided.'),
  edge_id: uuid.optional().describe('Only calls that this edge decided.'),
  environment_id: uuid.optional().describe('Only calls that were made while the agent was in this environment.'),
  effect: oneOf(effects).optional().describe('Only calls with this effect.'),
  mode: oneOf(governanceModes).optional().describe('Only calls that were decided in this mode.'),
}

const toolPattern = text({ min: 1, max: 300 }).optional()

export const DecisionFilters = z.object({
  ...filters,
  approval_id: uuid.optional().describe('Only calls that used this approval or asked for it.'),
  session_id: text({ min: 1, max: 128 }).optional().describe('Only calls of this session.'),
  tool: toolPattern.describe('Only calls of this tool. A pattern as in policies, such as `mcp:files/*`.'),
  from: timestamp.optional().describe('Only calls that were decided at this time or later.'),
  to: timestamp.optional().describe('Only calls that were decided before this time.'),
  page_size: limit(),
  page_token: pageToken.optional(),
})
export type DecisionFilters = z.output<typeof DecisionFilters>

export const TimelineQuery = z.object({
  ...filters,
  tool: toolPattern.describe('Only calls of this tool. A pattern with `*` needs `agent_id`.'),
  from: timestamp.optional().describe('Start of the span; 24 hours before `to` if it is left out.'),
  to: timestamp.optional().describe('End of the span, not included; now if it is left out.'),
  bucket: oneOf(timelineBuckets)
    .default('hour')
    .describe('Length of a bucket. Counts are kept by minute for 2 days, by hour for 35 days, by day for 800 days.'),
  group_by: oneOf(timelineGroups).default('effect').describe('What the counts of a bucket are split by.'),
})
export type TimelineQuery = z.output<typeof TimelineQuery>

export const UsageQuery = z.object({
  from: date.optional().describe('First day, in UTC; 29 days before `to` if it is left out.'),
  to: date.optional().describe('Last day, in UTC. Today if it is left out.'),
  group_by: oneOf(usageGroups).default('day').describe('What the counts are split by.'),
})
export type UsageQuery = z.output<typeof UsageQuery>

const count = z.int()
const counts = {
  allow: count.describe('Number of calls that were allowed.'),
  deny: count.describe('Number of calls that were denied.'),
  require_approval: count.describe('Number of calls that needed an approval.'),
}

const Anchor = z
  .object({
    seq: z.int().describe('Number of the record whose hash the audit trail has.'),
    hash: hash.describe('The hash that the audit trail has.'),
    entry_id: uuid.describe('Audit entry `edge.decisions_anchored` that has the hash.'),
  })
  .nullable()

export const DecisionReceipt = z
  .object({
    format: z.literal('mandate decision receipt').describe('Kind of this file.'),
    tenant_id: uuid.describe('Tenant of the decision.'),
    key: z
      .object({
        kid: z.string().describe('Id of the key that signed the record.'),
        public_key_pem: z.string().describe('The public key in PEM.'),
        edge_id: uuid.nullable().describe('Edge for which the key was registered. Null for an agent key.'),
        attestation: z
          .string()
          .describe(
            'Signature of the control plane for this key. `POST /edge/keys` returned it when the edge registered the key.',
          ),
      })
      .describe('Key of the edge, with its attestation.'),
    record: DecisionRecord.describe('The record as the edge sent it.'),
    policy: z
      .object({
        id: uuid.describe('Id of the policy.'),
        version: z.int().describe('Version that decided.'),
        content_hash: hash.describe('Content hash of that version, as the server has it.'),
      })
      .nullable()
      .describe('The policy version that the record names, as the server has it. Null if the server does not have it.'),
    previous_anchor: Anchor.describe('The last anchor before the record. Null if no earlier record is anchored.'),
    next_anchor: Anchor.describe('The first anchor at the record or after it. Null if it is not written yet.'),
    start: z
      .object({ seq: z.int().describe('Number before the first link.'), hash: hash.describe('Hash at that number.') })
      .describe('Where the links begin: at the previous anchor, or later if earlier records have expired.'),
    links: z
      .array(
        z.object({
          seq: z.int().describe('Number of the record.'),
          digest: hash.describe('SHA-256 of the RFC 8785 form of the record without `seq` and `prev`.'),
          hash: hash.describe('Hash of the record.'),
          signature: z
            .string()
            .optional()
            .describe('Signature of the batch that ends with this record. Absent on other records.'),
        }),
      )
      .describe(
        'The records after `start`, to the next anchor and the end of a signed batch. Without a next anchor, to the end of the batch that has the record.',
      ),
  })
  .meta({
    id: 'DecisionReceipt',
    description: 'Proof that an edge signed a decision. `mandate decisions verify` checks it without the server.',
  })
export type DecisionReceipt = z.output<typeof DecisionReceipt>

const outcome = z.object({
  effect: oneOf(effects).describe('What was decided.'),
  rule: named('rule').nullable().describe('Rule that decided. Null if the default effect decided.'),
})

const params = z.object({ decision_id: uuid.describe('Id of the decision.') })
const tag = 'Decisions'

export const decisionEndpoints = {
  listDecisions: endpoint({
    method: 'GET',
    path: '/decisions',
    tag,
    summary: 'List decisions, newest first',
    description:
      'What agents did, as edges recorded it. One request reads a bounded number of decisions. So a page may have fewer decisions than `page_size`, even zero, and still a `next_page_token`. Decisions older than the retention of the tenant are not shown.',
    access: viewer,
    query: DecisionFilters.extend({ include: includeNames }),
    answers: {
      200: z.object({
        data: z.array(Decision).describe('Decisions of this page that the caller sees.'),
        next_page_token: nextPageToken.optional(),
        session: z
          .object({
            calls: z
              .int()
              .meta({ maximum: 10_000 })
              .describe(
                'Number of calls of the session, also outside the span of the list. 10,000 means 10,000 or more. For a caller who does not see every agent, the calls that they see among the first 20,000 of the session.',
              ),
            first_at: timestamp
              .nullable()
              .describe('When the first call of the session was decided. Null if the session has no call.'),
          })
          .optional()
          .describe('The session with the id `session_id`. Only with that filter.'),
      }),
    },
    errors: [400],
  }),
  getDecisionTimeline: endpoint({
    method: 'GET',
    path: '/decisions/timeline',
    tag,
    summary: 'Count decisions over time',
    description:
      'The answer has every bucket of the span, including empty buckets. The first bucket begins at or before `from`, and its counts cover the whole bucket. Counts are kept longer than the decisions. At most 20 keys are counted separately: those with the most calls. The calls of all other keys are counted as `other`. With a filter that very many agents match, a busy agent may be counted as `other` too. A call without a value counts as `none`. 400 for more than 1,000 buckets, and for buckets that are not kept that long.',
    access: viewer,
    query: TimelineQuery,
    answers: {
      200: z.object({
        buckets: z
          .array(
            z.object({
              start: timestamp.describe('Start of the bucket, in UTC.'),
              counts: z.record(z.string(), count).describe('Number of calls by key. A key without calls is left out.'),
            }),
          )
          .describe('Buckets of the span, oldest first.'),
        keys: z
          .array(
            z.object({
              key: z
                .string()
                .describe('The effect, the tool, or the id of the agent, rule or policy; `other` or `none`.'),
              name: z
                .string()
                .nullable()
                .describe('Name to show. Null if it was deleted or may not be shown to the caller.'),
              total: count.describe('Number of calls in the whole span.'),
            }),
          )
          .describe('Keys of the counts. The key with the most calls is first.'),
      }),
    },
    errors: [400],
  }),
  getDecision: endpoint({
    method: 'GET',
    path: '/decisions/{decision_id}',
    tag,
    summary: 'Read a decision',
    description:
      'For the id of a record that only describes the result of a decision, the answer is that decision. 404 for a decision that has expired, or whose agent the caller does not see.',
    access: viewer,
    params,
    query: z.object({ include: includeNames }),
    answers: { 200: Decision },
    errors: [400, 404],
  }),
  getDecisionReceipt: endpoint({
    method: 'GET',
    path: '/decisions/{decision_id}/receipt',
    tag,
    summary: 'Download the receipt of a decision',
    description:
      'A file that proves that the edge signed the decision and that the audit trail holds it. `mandate decisions verify` checks it without the server. For the id of a record that only describes the result of a decision, the answer is the receipt of that decision. 409 `this decision is unsigned` if the decision has no receipt, and 409 if more than 100,000 records are between the two anchors.',
    access: viewer,
    params,
    answers: { 200: DecisionReceipt },
    errors: [400, 404, 409],
  }),
  replayDecision: endpoint({
    method: 'GET',
    path: '/decisions/{decision_id}/replay',
    tag,
    summary: 'Decide a recorded call again',
    description:
      'The recorded policy version decides the call again. The arguments of an approval are used if they have the digest of the record. Otherwise the values are used that the environment keeps (`keep_arguments_for_replay`). Without a value, a rule that asks for it makes the result `undecidable`.',
    access: viewer,
    params,
    query: z.object({ include: includeNames }),
    answers: {
      200: z.object({
        result: oneOf(['same', 'differs', 'undecidable']).describe('Whether the policy decides the call as recorded.'),
        recorded: outcome.describe('What the edge recorded.'),
        replayed: outcome.nullable().describe('What the policy version decides. Null if it is undecidable.'),
        reason: z.string().describe('Why, in one sentence.'),
      }),
    },
    errors: [400, 404],
  }),
  getUsage: endpoint({
    method: 'GET',
    path: '/usage',
    tag,
    summary: 'Count the calls that were governed',
    description:
      'Counts by day, agent, policy, tool or environment. Both dates are included; at most 800 days. A scoped user gets the calls of the agents that they see. At most 500 rows, the row with the most calls first. All other calls are counted as `other`.',
    access: { ...viewer, boundKey: 'refused' },
    query: UsageQuery,
    answers: {
      200: z.object({
        from: z.string().describe('First day, such as `2026-03-01`.'),
        to: z.string().describe('Last day, such as `2026-03-31`.'),
        total: z.object(counts).describe('All calls of the span.'),
        data: z
          .array(
            z.object({
              key: z
                .string()
                .describe('The day, the tool, or the id of the agent, policy or environment; `other` or `none`.'),
              name: z
                .string()
                .nullable()
                .describe('Name to show. Null if it was deleted or may not be shown to the caller.'),
              ...counts,
            }),
          )
          .describe('Counts by key. Days are in order of time, other keys by their number of calls.'),
      }),
    },
    errors: [400],
  }),
}
