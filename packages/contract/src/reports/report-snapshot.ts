import { z } from 'zod'
import { executionCoverageStates } from '../agents.ts'
import { oneOf, timestamp, uuid } from '../fields/fields.ts'
import { agentId, environmentId, policyId, policyVersion } from '../fields/shared-fields.ts'

const PolicyAt = z.object({
  policy_id: policyId,
  version: z.int().nullable().describe('Version of the policy. Null if it is unknown.'),
  content_hash: z.string().nullable().describe('Content hash of that version. Null if it is unknown.'),
})

const Person = z.object({
  user_id: uuid.nullable().describe('Id of the user. Null if it is not known.'),
  display_name: z.string().describe('Display name of the user at that time.'),
  email: z.string().describe('Address of the user at that time.'),
})

const effectCounts = {
  allow: z.int().describe('Number of calls that were allowed.'),
  deny: z.int().describe('Number of calls that were denied.'),
  require_approval: z.int().describe('Number of calls that needed an approval.'),
}

/** Ends the description of a field that reports of earlier versions do not have. */
const sinceLater = 'Absent in reports that an earlier version of the service made.'

/** The state when the report was made. `counts` cover everything; each list contains at most the newest 10,000. */
export const ReportSnapshot = z
  .object({
    organization: z.string().describe('Name of the tenant when the report was made.'),
    environment: z
      .object({
        id: environmentId,
        name: z.string().describe('Name of the environment.'),
        slug: z.string().describe('Slug of the environment.'),
        is_production: z.boolean().describe('True for a production environment.'),
      })
      .nullable()
      .describe('Environment of the report when it was made. Null in a report of the whole organization.'),
    made_by: Person.optional().describe(`Who made the report, with the name of that time. ${sinceLater}`),
    period: z
      .object({
        from: timestamp.describe('Start of the first day.'),
        to: timestamp.describe('End of the last day, or when the report was made if that was earlier.'),
      })
      .optional()
      .describe(`The days whose decisions and events the report has. ${sinceLater}`),
    counts: z
      .object({
        agents: z.int().describe('Number of agents.'),
        policies: z.int().describe('Number of policies.'),
        approvals: z.int().describe('Number of agents with an approval of record.'),
        drift: z.int().describe('Number of agents with drift.'),
        coverage: z.record(z.string(), z.int()).describe('Number of agents for each state of execution coverage.'),
        findings: z.int().describe('Number of open findings.'),
        decisions: z
          .object(effectCounts)
          .optional()
          .describe(`Number of calls that edges decided in the period. ${sinceLater}`),
        events: z.int().optional().describe(`Number of events in the period. ${sinceLater}`),
      })
      .describe('How many there are of everything. The lists have at most 10,000 entries each.'),
    agents: z
      .array(
        z.object({
          id: agentId,
          name: z.string().describe('Name of the agent.'),
          status: z.string().describe('Status of the agent.'),
          source: z.string().describe('Where the agent comes from.'),
          governance_state: z.string().describe('Governance state of the agent.'),
          governance_mode: z.string().nullable().describe('Governance mode of the agent. Null without a policy.'),
          lifecycle_status: z.string().describe('Lifecycle status of the agent.'),
          environment_id: uuid.nullable().describe('Environment of the agent. Null if it has none.'),
          policy: z
            .object({ id: policyId, name: z.string().describe('Name of the policy.'), version: policyVersion })
            .nullable()
            .describe('Assigned policy. Null if no policy is assigned.'),
          owner: Person.nullable().optional().describe(`Owner of the agent. Null if it has none. ${sinceLater}`),
          last_heartbeat_at: timestamp
            .nullable()
            .describe('When a heartbeat last named the agent. Null before the first one.'),
        }),
      )
      .describe('Agents of the report, the newest 10,000 at most.'),
    policies: z
      .array(
        z.object({
          id: policyId,
          name: z.string().describe('Name of the policy.'),
          environment_id: uuid.nullable().describe('Environment that the policy is for. Null: every environment.'),
          override_mode: z.string().describe('Override mode of the policy.'),
          default_effect: z.string().describe('Default effect of the policy.'),
          version: policyVersion,
          content_hash: z.string().describe('Content hash of that version.'),
          rules: z.int().describe('Number of rules.'),
          saved_by: Person.nullable()
            .optional()
            .describe(`Who saved that version. Null if that is not known. ${sinceLater}`),
          saved_at: timestamp.nullable().optional().describe(`When that version was saved. ${sinceLater}`),
        }),
      )
      .describe('Policies of the report, the newest 10,000 at most.'),
    approvals: z
      .array(
        z.object({
          agent_id: agentId,
          agent_name: z.string().describe('Name of the agent.'),
          lifecycle_status: z.string().describe('Lifecycle status of the agent.'),
          approved: PolicyAt.describe('The approval of record.'),
          review: z
            .object({
              id: uuid.describe('Id of the review.'),
              kind: z.string().describe('Kind of the review.'),
              status: z.string().describe('Status of the review.'),
              resolved_at: timestamp.describe('When the review was resolved.'),
              reviewer: Person.nullable()
                .optional()
                .describe(`Who resolved the review. Null if that is not known. ${sinceLater}`),
              comment: z
                .string()
                .nullable()
                .optional()
                .describe(`What the reviewer wrote. Null if nothing was written. ${sinceLater}`),
            })
            .nullable()
            .describe('The last review that approved or attested the agent. Null if it is gone.'),
        }),
      )
      .describe('Agents with an approval of record, and the last review that approved or attested them.'),
    drift: z
      .array(
        z.object({
          agent_id: agentId,
          agent_name: z.string().describe('Name of the agent.'),
          approved: PolicyAt.describe('The approval of record.'),
          running: PolicyAt.describe('What the edge reported.'),
        }),
      )
      .describe(
        'Agents that run another version than the approved one. An agent without approval or report has no drift.',
      ),
    coverage: z
      .array(
        z.object({
          agent_id: agentId,
          agent_name: z.string().describe('Name of the agent.'),
          state: oneOf(executionCoverageStates).describe('Execution coverage of the agent when the report was made.'),
        }),
      )
      .describe('Execution coverage of each agent.'),
    findings: z
      .array(
        z.object({
          id: uuid.describe('Id of the finding.'),
          agent_id: agentId,
          agent_name: z.string().describe('Name of the agent.'),
          type: z.string().describe('What the finding is about.'),
          severity: z.string().describe('`low`, `medium` or `high`.'),
          remediation: z.string().describe('What to do, in one sentence.'),
          opened_at: timestamp.describe('When the finding was opened.'),
        }),
      )
      .describe('Findings that were open when the report was made.'),
    decisions: z
      .array(
        z.object({
          agent_id: agentId,
          agent_name: z.string().describe('Name of the agent.'),
          ...effectCounts,
        }),
      )
      .optional()
      .describe(`Agents whose calls edges decided in the period, with the number of calls. ${sinceLater}`),
    events: z
      .array(
        z.object({
          id: uuid.describe('Id of the audit entry.'),
          at: timestamp.describe('When it happened.'),
          event_type: z.string().describe('Event of the audit entry.'),
          summary: z.string().describe('What the person did, such as `approved the change review`.'),
          by: Person.describe('Who did it, with the name of that time.'),
          agent_id: agentId,
          agent_name: z.string().describe('Name of the agent.'),
          policy: PolicyAt.nullable().describe(
            'The policy version that the act was about: that was approved or assigned, or that held the call. Null for other acts.',
          ),
          comment: z.string().nullable().describe('What the person wrote. Null if nothing was written.'),
        }),
      )
      .optional()
      .describe(
        `What people decided about the agents in the period: reviews, held calls, changes of lifecycle, suspensions and assigned policies. ${sinceLater}`,
      ),
  })
  .meta({
    id: 'ReportSnapshot',
    description:
      'What was true when the report was made, and what happened in its period. `counts` are of everything; each list has the newest 10,000 at most.',
  })
export type ReportSnapshot = z.output<typeof ReportSnapshot>
