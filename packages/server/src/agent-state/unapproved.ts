/** A condition on a row of findings: it is the open finding that its agent runs unapproved. */
export const isOpenUnapprovedFinding = (finding: string) =>
  `${finding}.type = 'unapproved_running' and ${finding}.status = 'open'`

/** Alias of a row of agents, and an SQL expression for whether its latest heartbeat named a policy that it runs. */
interface ReportingAgent {
  agent: string
  isReported: string
}

/**
 * SQL for whether an agent runs unapproved: its latest heartbeat named a policy, and its lifecycle status is not `approved`.
 * False for agents that are archived or suppressed.
 */
export const runsUnapprovedSql = ({ agent, isReported }: ReportingAgent) =>
  `(${isReported} and ${agent}.lifecycle_status <> 'approved' and ${agent}.status <> 'archived'
    and ${agent}.governance_state <> 'suppressed')`

/** SQL for whether the latest heartbeat in a row of `agent_runtime` named a policy: the row then has two equal times. */
export const isReportedSql = (runtime: string) =>
  `(${runtime}.reported_at is not distinct from ${runtime}.last_heartbeat_at)`

/**
 * SQL for whether the open finding of an agent, or its absence, disagrees with how the agent runs. An approved agent has no such
 * finding, because its approval closed the finding behind the agent's lock. So heartbeats of approved agents look nothing up.
 * `tenantId` is an SQL expression.
 */
export const unapprovedUnsettledSql = ({ agent, isReported, tenantId }: ReportingAgent & { tenantId: string }) =>
  `(${agent}.lifecycle_status <> 'approved' and ${runsUnapprovedSql({ agent, isReported })} <> exists (select from findings f
    where f.tenant_id = ${tenantId} and f.agent_id = ${agent}.id and ${isOpenUnapprovedFinding('f')}))`
