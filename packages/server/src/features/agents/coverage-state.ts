/** Evidence older than this says nothing of now. Counted from the end of the observed window and from the attestation. */
export const freshness = `interval '15 minutes'`

/** When the newest evidence on `v` is from: what freshness counts from. */
export const newestEvidence = 'greatest(v.attested_at, v.window_end)'

/** Joins the evidence on a row `a` of agents: `v` its latest attestation and execution stats, `f` its open findings. */
export const coverageEvidence = `
  left join agent_evidence v on v.tenant_id = a.tenant_id and v.agent_id = a.id
  left join lateral (select string_agg(x.wire_json, ',') as json, bool_or(x.type = 'coverage_gap') as has_gap
    from findings x where x.tenant_id = a.tenant_id and x.agent_id = a.id and x.status = 'open') f on true`

/** The state of execution coverage at `q.now`: the badge and the list's filter. Without a row of evidence there is nothing either. */
export const coverageState = `case
    when (v.shows <> 'unknown') is not true then 'unknown'
    when ${newestEvidence} < q.now - ${freshness} then 'stale'
    when f.has_gap then 'partial'
    else v.shows end`
