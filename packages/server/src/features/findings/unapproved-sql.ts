/** A condition on a row `f` of findings: the one that says an agent runs unapproved. */
export const openUnapprovedFinding = `f.type = 'unapproved_running' and f.status = 'open'`

/**
 * Whether a row `a` of agents runs unapproved, as SQL: its latest beat (`isReported`) named a policy that it runs, and the
 * approval axis does not say `approved`. One that is archived or suppressed is not looked at.
 */
export const runsUnapprovedSql = (isReported: string) =>
  `(${isReported} and a.lifecycle_status <> 'approved' and a.status <> 'archived' and a.governance_state <> 'suppressed')`

/** Whether the latest beat of a row of `agent_runtime` named a policy: a beat writes both times, or one. */
export const reportedSql = (runtime: string) =>
  `(${runtime}.reported_at is not distinct from ${runtime}.last_heartbeat_at)`

/**
 * Whether the open finding of a row `a` of agents (or its absence) no longer says how it runs, as SQL. An approved agent has
 * none: the approval closed it, behind the agent's lock. So an approved fleet's beats look nothing up. $1 is the tenant.
 */
export const unapprovedUnsettledSql = (isReported: string) =>
  `(a.lifecycle_status <> 'approved' and ${runsUnapprovedSql(isReported)} <> exists (select from findings f
    where f.tenant_id = $1 and f.agent_id = a.id and ${openUnapprovedFinding}))`
