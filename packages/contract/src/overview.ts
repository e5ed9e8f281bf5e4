import { z } from 'zod'
import { executionCoverageStates, governanceStates, lifecycleStatuses } from './agents.ts'
import { viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeNames } from './endpoint/names.ts'
import { oneOf, timestamp, uuid } from './fields/fields.ts'
import { createdAt } from './fields/shared-fields.ts'
import { freezeScopes } from './freezes.ts'
import { findingTypes } from './words/agent-words.ts'

/** What the last stop was. */
export const stopKinds = ['suspension', 'freeze', 'drill'] as const
/** Maximum number of freezes in the overview. */
export const maxFreezes = 5
/** Maximum count of what the caller could decide. */
export const maxNeeded = 1000

const count = z.int().meta({ maximum: 10_000 })

/** An object with one count for each of `values`. */
const countBy = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.object(
    Object.fromEntries(values.map((value) => [value, count.describe(`Number with the value \`${value}\`.`)])) as Record<
      V[number],
      typeof count
    >,
  )

export const Overview = z
  .object({
    needs_me: z
      .object({
        approvals: z.int().meta({ maximum: maxNeeded }).describe('Number of pending approvals.'),
        reviews: z.int().meta({ maximum: maxNeeded }).describe('Number of pending reviews.'),
      })
      .describe('What the caller could decide now. 1,000 means 1,000 or more.'),
    findings: countBy(findingTypes).describe('Number of open findings of each type, without those of archived agents.'),
    findings_total: count.describe('Number of open findings of all types, without those of archived agents.'),
    freezes: z
      .array(
        z.object({
          id: uuid.describe('Id of the freeze.'),
          scope: oneOf(freezeScopes).describe('What the freeze stops: one agent, an environment, or everything.'),
          name: z.string().describe('Name of the agent, of the environment or of the organization.'),
          agents: count
            .nullable()
            .describe(
              'Number of agents that the freeze covered when it started. Null if it covers agents that the caller does not see.',
            ),
          created_by: uuid
            .nullable()
            .describe(
              'Id of the user who started the freeze. It stays after that user was removed. Null if it is not known.',
            ),
          created_at: createdAt,
        }),
      )
      .max(maxFreezes)
      .describe('Active freezes that the caller sees, newest first, at most 5.'),
    agents: z
      .object({
        total: count.describe('Number of agents.'),
        by_governance_state: countBy(governanceStates).describe('Number of agents with each governance state.'),
        by_lifecycle_status: countBy(lifecycleStatuses).describe('Number of agents with each lifecycle status.'),
        by_execution_coverage_state: countBy(executionCoverageStates).describe(
          'Number of agents with each execution coverage, as lists of agents show it.',
        ),
        drifting: count.describe('Number of agents whose running policy is not the approved one.'),
        unapproved_running: count.describe('Number of agents that run without approval.'),
        unknown_drift: count.describe(
          'Number of agents whose drift is unknown: the approval or the report is missing.',
        ),
        discovered: count.describe('Number of agents that have no policy so far.'),
      })
      .describe('Agents that the caller sees and that are not archived.'),
    edges: z
      .object({
        total: count.describe('Number of edge credentials that are not revoked.'),
        silent: count.describe('Number of edges whose instances have all missed three heartbeats.'),
        instances: count.describe(
          'Number of running edge instances that serve agents, silent instances and those with the own key of an agent included. A freeze of the organization counts the same instances.',
        ),
        instances_silent: count.describe('Number of these instances that have missed three heartbeats.'),
      })
      .describe('Edges of the environments that the caller sees, and their running instances.'),
    decisions_24h: z
      .object({
        allow: z.int().describe('Number of calls that were allowed.'),
        deny: z.int().describe('Number of calls that were denied.'),
        require_approval: z.int().describe('Number of calls that waited for a person.'),
      })
      .describe('Decisions about calls of the last 24 hours, by effect.'),
    stop_reach: z
      .object({
        kind: oneOf(stopKinds).describe('What the stop was. A `drill` stops nothing.'),
        edges: z
          .int()
          .describe(
            'Number of edge instances that had to stop: those that existed at that time and whose key is not revoked. Of a suspension, those whose last heartbeat carried the agent.',
          ),
        confirmed: z.int().describe('Number of these instances that confirmed.'),
        p50_ms: z.number().nullable().describe('Median time until a confirmation, in milliseconds.'),
        p99_ms: z.number().nullable().describe('99th percentile of the time until a confirmation, in milliseconds.'),
      })
      .nullable()
      .describe('Reach of the last suspension, freeze or drill of the last 30 days. Null if there was none.'),
    audit: z
      .object({
        sealed_through: timestamp.nullable().describe('Time of the newest sealed entry. Null if no entry is sealed.'),
        entries: z.int().describe('Number of sealed entries.'),
      })
      .optional()
      .describe('The audit trail. Absent for a caller who may not verify it.'),
    as_of: timestamp.describe('When the counts were read. They are at most 10 seconds old.'),
  })
  .meta({
    id: 'Overview',
    description:
      'What waits for the caller, what is wrong, and the state of agents, edges, decisions and the audit trail. A count of 10,000 means 10,000 or more.',
  })
export type Overview = z.output<typeof Overview>

export const overviewEndpoints = {
  getOverview: endpoint({
    method: 'GET',
    path: '/overview',
    tag: 'Overview',
    summary: 'Read what waits for the caller and what is wrong',
    description:
      'A scoped user gets the counts of the agents that they see, and a key that is bound to an environment those of its environment. Archived agents are not counted.',
    access: viewer,
    query: z.object({ include: includeNames }),
    answers: { 200: Overview },
    errors: [400],
  }),
}
