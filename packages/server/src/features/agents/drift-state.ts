/**
 * Whether an agent (a row `a`, its runtime left-joined as `r`) runs another version than the approved one. A missing approval
 * or report is missing, never a match and never a drift: null.
 */
export const driftState = `case when num_nulls(r.running_policy_id, r.running_hash, a.approved_policy_id, a.approved_hash) = 0
    then r.running_policy_id <> a.approved_policy_id or r.running_hash <> a.approved_hash end`
