/**
 * Whether a running policy differs from the approved one of a row `a` of agents, by policy id and content hash, as SQL.
 * Null when the approval or the report is missing: that is never a match and never a drift.
 */
export const driftSql = (runningPolicyId: string, runningHash: string) =>
  `case when num_nulls(${runningPolicyId}, ${runningHash}, a.approved_policy_id, a.approved_hash) = 0
    then ${runningPolicyId} <> a.approved_policy_id or ${runningHash} <> a.approved_hash end`
