/** The policy that an agent runs, as SQL expressions. */
interface Running {
  policyId: string
  hash: string
}

/**
 * SQL for whether an agent runs another policy than the approved one, by policy id and content hash. `agent` is the alias of a row
 * of agents. Null if the approval or the report is missing.
 */
export const driftSql = ({ agent, policyId, hash }: Running & { agent: string }) =>
  `case when num_nulls(${policyId}, ${hash}, ${agent}.approved_policy_id, ${agent}.approved_hash) = 0
    then ${policyId} <> ${agent}.approved_policy_id or ${hash} <> ${agent}.approved_hash end`

/** A condition on a row of findings: it is the open finding that its agent drifts. */
export const isOpenDriftFinding = (finding: string) =>
  `${finding}.type = 'policy_drift_unapproved' and ${finding}.status = 'open'`

/** SQL for whether a finding of drift is about another running policy than this one. */
export const findingMovedSql = ({ finding, policyId, hash }: Running & { finding: string }) =>
  `((${finding}.evidence #>> '{running,policy_id}', ${finding}.evidence #>> '{running,content_hash}')
    is distinct from (${policyId}::text, ${hash}))`

/**
 * SQL for whether the open finding of drift, or its absence, disagrees with `drift`. `finding` is left-joined. An unknown drift
 * disagrees with nothing: a report that cannot be read closes no finding.
 */
export const driftUnsettledSql = ({ finding, drift, ...running }: Running & { finding: string; drift: string }) =>
  `coalesce(case when ${finding}.id is null then ${drift}
    else not (${drift}) or ((${drift}) and ${findingMovedSql({ finding, ...running })}) end, false)`
