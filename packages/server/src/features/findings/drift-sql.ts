/** A condition on a row `f` of findings: the one that says an agent drifts. */
export const openDriftFinding = `f.type = 'policy_drift_unapproved' and f.status = 'open'`

/** Whether the finding `f` is about another running configuration than this one, as SQL. */
export const findingMovedSql = (runningPolicyId: string, runningHash: string) =>
  `((f.evidence #>> '{running,policy_id}', f.evidence #>> '{running,content_hash}')
    is distinct from (${runningPolicyId}::text, ${runningHash}))`

/**
 * Whether the open finding `f` (or its absence) no longer says what `drift` says, as SQL. An unknown drift settles nothing: a
 * report that cannot be read closes no finding.
 */
export const driftUnsettledSql = (drift: string, runningPolicyId: string, runningHash: string) =>
  `coalesce(case when f.id is null then ${drift}
    else not (${drift}) or ((${drift}) and ${findingMovedSql(runningPolicyId, runningHash)}) end, false)`
