/** SQL condition: the row of findings is an open `unapproved_running` finding. `finding` is the SQL alias of the row. */
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
 * `agent_runtime`. Only a heartbeat with a policy sets `reported_at`, so `reported_at` then equals `last_heartbeat_at`.
 */
export const isReportedSql = (runtime: string) =>
  `(${runtime}.reported_at is not distinct from ${runtime}.last_heartbeat_at)`

/**
 * SQL condition: an agent runs without approval but has no open `unapproved_running` finding, or has the finding but does not
 * run without approval. `tenantId` is an SQL expression.
 * For an approved agent, the condition is false without a look-up of the finding. An approved agent never has this finding,
 * because the transaction that approves an agent locks the agent and closes the finding.
 */
export const unapprovedUnsettledSql = ({ agent, isReported, tenantId }: ReportingAgent & { tenantId: string }) =>
  `(${agent}.lifecycle_status <> 'approved' and ${runsUnapprovedSql({ agent, isReported })} <> exists (select from findings f
    where f.tenant_id = ${tenantId} and f.agent_id = ${agent}.id and ${isOpenUnapprovedFinding('f')}))`
