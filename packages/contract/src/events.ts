import { z } from 'zod'
import { viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { declaredBounds } from './fields/bounds.ts'
import { text, uuid } from './fields/fields.ts'
import { editsBetween } from './words/edits-between.ts'

/**
 * The types of events, each with the resource whose scope a limited API key needs. A new type is one line here, and one in `stream-event.ts` if
 * audit entries cause it.
 */
export const eventTypes = {
  'approval.requested': 'approvals',
  'approval.resolved': 'approvals',
  'approval.consumed': 'approvals',
  'approval.expired': 'approvals',
  'review.opened': 'reviews',
  'review.resolved': 'reviews',
  'finding.opened': 'findings',
  'finding.closed': 'findings',
  'agent.changed': 'agents',
  'policy.saved': 'policies',
  'edge.silent': 'edges',
  'edge.returned': 'edges',
  'freeze.started': 'freezes',
  'freeze.lifted': 'freezes',
  'freeze.confirmed': 'freezes',
  'freeze.progress': 'freezes',
  'audit.recorded': 'audit',
  'decision.recorded': 'decisions',
  'decision.skipped': 'decisions',
} as const
export type EventType = keyof typeof eventTypes

/** Maximum number of open streams per person or API key, on one instance. */
export const mostStreamsOfCaller = 20
/** Maximum number of open streams per tenant, on one instance. */
export const mostStreamsOfTenant = 200

const types = text({ max: 1_000 })
  .transform((value) => [...new Set(value.split(','))])
  .superRefine((named, issues) => {
    const unknown = named.find((type) => !Object.hasOwn(eventTypes, type))
    if (unknown === undefined) return
    const written = unknown.slice(0, 100)
    const meant = Object.keys(eventTypes).find((type) => editsBetween(type, written.trim().toLowerCase()) <= 3)
    const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`
    issues.addIssue({ code: 'custom', message: `must name event types; unknown: ${written}${suggestion}` })
  })
  .transform((named) => named as EventType[])
  .optional()
  .meta({ type: 'string', maxLength: 1_000 })
  .describe('Only events of these types, separated by commas, such as `approval.requested,approval.resolved`.')

const decisions = z
  .union([z.literal('all'), uuid], { error: 'must be all or the id of an agent' })
  .register(declaredBounds, { maxLength: 36, text: 'must be all or the id of an agent' })
  .optional()
  .meta({ type: 'string' })
  .describe('Also sends decisions: those of this agent, or with `all` those of every agent that the caller sees.')

export const eventEndpoints = {
  streamEvents: endpoint({
    method: 'GET',
    path: '/events/stream',
    tag: 'Events',
    summary: 'Receive events while they happen',
    description:
      'A stream of server-sent events that stays open. Each event has an `id`, its type as `event`, and `data` with `id`, `type`, `at`, `resource: {type, id}` and, if it has them, `agent_id` and `environment_id`. Some types have more fields: `freeze.confirmed` has `edge`, `agent`, `instance_id`, `after_ms`, `confirmed` and `total`, and `freeze.progress` has `confirmed` and `total`; `audit.recorded` has `about: {type, id}`, the resource of the entry. A request with the header `Last-Event-ID` first gets `resumed {events}` and the events that it missed, or `reset` if the id is unknown or too old: then read everything again. Ids are valid for at least 10 minutes, on every instance. An event may come twice. The stream ends with the access token, and when the credential or the access of the caller ends. An API key that is limited by scopes also needs the scope of the resource, such as `approvals:read` for `approval.requested`.',
    access: viewer,
    query: z.object({ types, decisions }),
    answers: { 200: z.string() },
    errors: [400, 404, 429, 503],
    produces: 'text/event-stream',
    staysOpen: true,
  }),
}
