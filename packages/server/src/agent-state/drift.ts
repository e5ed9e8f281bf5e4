/** The policy that an agent currently runs. Both fields are SQL expressions. */
interface Running {
  policyId: string
  hash: string
}

/**
 * SQL for whether the agent runs a policy that differs from the approved policy. Policy id and content hash are compared.
 * `agent` is the alias of a row of agents. The result is null if there is no approval, or if the agent has not reported a
 * policy.
 */
export const driftSql = ({ agent, policyId, hash }: Running & { agent: string }) =>
  `case when num_nulls(${policyId}, ${hash}, ${agent}.approved_policy_id, ${agent}.approved_hash) = 0
    then ${policyId} <> ${agent}.approved_policy_id or ${hash} <> ${agent}.approved_hash end`

/** SQL condition: the row of findings is an open drift finding. */
export const isOpenDriftFinding = (finding: string) =>
  `${finding}.type = 'policy_drift_unapproved' and ${finding}.status = 'open'`

/**
 * SQL condition: the open drift finding is about a policy that the agent no longer runs. `policyId` and `hash` identify the
 * policy that it runs now.
 */
export const findingMovedSql = ({ finding, policyId, hash }: Running & { finding: string }) =>
  `((${finding}.evidence #>> '{running,policy_id}', ${finding}.evidence #>> '{running,content_hash}')
    is distinct from (${policyId}::text, ${hash}))`

/**
 * SQL condition: the drift finding of an agent must be opened, replaced or closed. It must be opened if `drift` is true and
 * there is no open finding. It must be replaced or closed if the open finding does not match the running policy. `finding` is
 * the alias of a left-joined row. If `drift` is null, the condition is false, so a report that cannot be read does not close a
 * finding.
 */
export const driftUnsettledSql = ({ finding, drift, ...running }: Running & { finding: string; drift: string }) =>
  `coalesce(case when ${finding}.id is null then ${drift}
    else not (${drift}) or ((${drift}) and ${findingMovedSql({ finding, ...running })}) end, false)`
