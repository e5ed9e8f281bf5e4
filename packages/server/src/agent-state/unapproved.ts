/** SQL condition: the row of findings is an open `unapproved_running` finding. */
export const isOpenUnapprovedFinding = (finding: string) =>
  `${finding}.type = 'unapproved_running' and ${finding}.status = 'open'`

/**
 * `agent` is the alias of a row of agents. `isReported` is the SQL condition that the latest heartbeat named a running policy.
 */
interface ReportingAgent {
  agent: string
  isReported: string
}

/**
 * SQL condition: the agent runs without approval. Its latest heartbeat named a policy, but its lifecycle status is not
 * `approved`. False for archived and suppressed agents.
 */
export const runsUnapprovedSql = ({ agent, isReported }: ReportingAgent) =>
  `(${isReported} and ${agent}.lifecycle_status <> 'approved' and ${agent}.status <> 'archived'
    and ${agent}.governance_state <> 'suppressed')`

/**
 * SQL condition: the latest heartbeat in a row of `agent_runtime` named a policy. In this case `reported_at` equals
 * `last_heartbeat_at`.
 */
export const isReportedSql = (runtime: string) =>
  `(${runtime}.reported_at is not distinct from ${runtime}.last_heartbeat_at)`

/**
 * SQL condition: the `unapproved_running` finding of an agent must be opened or closed, because it does not match the agent's
 * state. `tenantId` is an SQL expression.
 * An approval closes the finding while it holds the lock of the agent. An approved agent therefore never has this finding, and
 * heartbeats of approved agents do not look for it.
 */
export const unapprovedUnsettledSql = ({ agent, isReported, tenantId }: ReportingAgent & { tenantId: string }) =>
  `(${agent}.lifecycle_status <> 'approved' and ${runsUnapprovedSql({ agent, isReported })} <> exists (select from findings f
    where f.tenant_id = ${tenantId} and f.agent_id = ${agent}.id and ${isOpenUnapprovedFinding('f')}))`
