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

/** Like `driftSql`, as one of the words `true`, `false` and `unknown`. The column `drift_state` of an agent stores it. */
export const driftStateSql = (drift: Running & { agent: string }) => `coalesce((${driftSql(drift)})::text, 'unknown')`

/**
 * SQL condition: a row of the table `findings` is an open finding about policy drift. `finding` is the SQL alias of the row.
 */
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
 * SQL condition: a drift finding of an agent must be opened, replaced or closed. True in two cases:
 * - There is no open finding, but the agent has drift (it runs a policy that differs from the approved policy).
 * - There is an open finding, but it is about another policy, or the agent has no drift.
 *
 * `finding` is the SQL alias of the open finding, which is left-joined. `drift` is the result of `driftSql`. `drift` is null if
 * the approved policy or the running policy is unknown. The condition is then false, and an open finding stays open.
 */
export const driftUnsettledSql = ({ finding, drift, ...running }: Running & { finding: string; drift: string }) =>
  `coalesce(case when ${finding}.id is null then ${drift}
    else not (${drift}) or ((${drift}) and ${findingMovedSql({ finding, ...running })}) end, false)`
