/** SQL condition: the row of findings is an open `unapproved_running` finding. */
export const isOpenUnapprovedFinding = (finding: string) =>
  `${finding}.type = 'unapproved_running' and ${finding}.status = 'open'`

/** `agent` is the alias of a row of agents. `isReported` is an SQL condition: the latest heartbeat named a running policy. */
interface ReportingAgent {
  agent: string
  isReported: string
}

/**
 * SQL condition: the agent runs unapproved. Its latest heartbeat named a policy, and its lifecycle status is not `approved`. False for
 * archived and suppressed agents.
 */
export const runsUnapprovedSql = ({ agent, isReported }: ReportingAgent) =>
  `(${isReported} and ${agent}.lifecycle_status <> 'approved' and ${agent}.status <> 'archived'
    and ${agent}.governance_state <> 'suppressed')`

/** SQL condition: the latest heartbeat in a row of `agent_runtime` named a policy. `reported_at` then equals `last_heartbeat_at`. */
export const isReportedSql = (runtime: string) =>
  `(${runtime}.reported_at is not distinct from ${runtime}.last_heartbeat_at)`

/**
 * SQL condition: the `unapproved_running` finding of an agent must be opened or closed, because it does not match how the agent runs. An
 * approval closes the finding while it holds the agent's lock. An approved agent therefore never has this finding, and its heartbeats
 * skip the look-up. `tenantId` is an SQL expression.
 */
export const unapprovedUnsettledSql = ({ agent, isReported, tenantId }: ReportingAgent & { tenantId: string }) =>
  `(${agent}.lifecycle_status <> 'approved' and ${runsUnapprovedSql({ agent, isReported })} <> exists (select from findings f
    where f.tenant_id = ${tenantId} and f.agent_id = ${agent}.id and ${isOpenUnapprovedFinding('f')}))`
