/**
 * SQL condition: a row of the table `findings` is an open `unapproved_running` finding. `finding` is the SQL alias of the row.
 */
export const isOpenUnapprovedFinding = (finding: string) =>
  `${finding}.type = 'unapproved_running' and ${finding}.status = 'open'`

interface ReportingAgent {
  /** SQL alias of the agent's row. */
  agent: string
  /** SQL condition: the agent's last heartbeat said which policy the agent runs. */
  isReported: string
}

/**
 * SQL condition: the agent runs without approval. Its last heartbeat said that it runs a policy, but its lifecycle status is
 * not `approved`. False for archived and suppressed agents.
 */
export const runsUnapprovedSql = ({ agent, isReported }: ReportingAgent) =>
  `(${isReported} and ${agent}.lifecycle_status <> 'approved' and ${agent}.status <> 'archived'
    and ${agent}.governance_state <> 'suppressed')`

/**
 * SQL condition: the agent's last heartbeat said which policy the agent runs. `runtime` is the SQL alias of the agent's row in
 * `agent_runtime`. A heartbeat with a policy sets `reported_at` and `last_heartbeat_at` to the same time. A heartbeat without a
 * policy sets only `last_heartbeat_at`.
 */
export const isReportedSql = (runtime: string) =>
  `(${runtime}.reported_at is not distinct from ${runtime}.last_heartbeat_at)`

/**
 * SQL condition: the agent's `unapproved_running` finding must be opened or closed. True in two cases:
 * - The agent runs without approval, but has no open finding.
 * - The agent has an open finding, but no longer runs without approval.
 *
 * `tenantId` is an SQL expression. For an approved agent, the condition is false, and the finding is not looked up. An approved
 * agent cannot have this finding: the transaction that approves an agent locks the agent and closes its finding.
 */
export const unapprovedUnsettledSql = ({ agent, isReported, tenantId }: ReportingAgent & { tenantId: string }) =>
  `(${agent}.lifecycle_status <> 'approved' and ${runsUnapprovedSql({ agent, isReported })} <> exists (select from findings f
    where f.tenant_id = ${tenantId} and f.agent_id = ${agent}.id and ${isOpenUnapprovedFinding('f')}))`
