/** The policy that an agent runs: its id and content hash, as SQL expressions. */
interface Running {
  policyId: string
  hash: string
}

/**
 * SQL for whether the agent runs a different policy from the approved one, compared by policy id and content hash. `agent` is the alias
 * of a row of agents. Null if the approval or the report is missing.
 */
export const driftSql = ({ agent, policyId, hash }: Running & { agent: string }) =>
  `case when num_nulls(${policyId}, ${hash}, ${agent}.approved_policy_id, ${agent}.approved_hash) = 0
    then ${policyId} <> ${agent}.approved_policy_id or ${hash} <> ${agent}.approved_hash end`

/** SQL condition: the row of findings is an open drift finding. */
export const isOpenDriftFinding = (finding: string) =>
  `${finding}.type = 'policy_drift_unapproved' and ${finding}.status = 'open'`

/** SQL condition: the drift finding was opened for a different running policy than `policyId` and `hash`. */
export const findingMovedSql = ({ finding, policyId, hash }: Running & { finding: string }) =>
  `((${finding}.evidence #>> '{running,policy_id}', ${finding}.evidence #>> '{running,content_hash}')
    is distinct from (${policyId}::text, ${hash}))`

/**
 * SQL condition: the drift finding of an agent must be opened, replaced or closed. Either there is no open finding although `drift` is
 * true, or there is one that no longer fits. `finding` is left-joined. If `drift` is null, the condition is false, so a report that
 * cannot be read closes no finding.
 */
export const driftUnsettledSql = ({ finding, drift, ...running }: Running & { finding: string; drift: string }) =>
  `coalesce(case when ${finding}.id is null then ${drift}
    else not (${drift}) or ((${drift}) and ${findingMovedSql({ finding, ...running })}) end, false)`
