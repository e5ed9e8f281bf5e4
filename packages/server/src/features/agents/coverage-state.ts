/** Evidence older than this says nothing of now. Counted from the end of the observed window and from the attestation. */
const freshness = `interval '15 minutes'`

/** Joins the evidence on a row `a` of agents: `t` its latest attestation, `s` its latest execution stats. */
export const coverageEvidence = `
  left join agent_attestations t on t.tenant_id = a.tenant_id and t.agent_id = a.id
  left join lateral (select * from execution_stats x
    where x.tenant_id = a.tenant_id and x.agent_id = a.id
    order by x.window_end desc, x.window_start desc limit 1) s on true`

/**
 * The state of execution coverage at `q.now`, on `coverageEvidence`: the badge and the list's filter.
 * A window in which nothing was seen is no observation, so a claim that was never put to the test is not `covered`.
 */
export const coverageState = `case
  when t.agent_id is null and coalesce(s.actions_seen + s.unmediated_seen, 0) = 0 then 'unknown'
  when greatest(t.attested_at, s.window_end) < q.now - ${freshness} then 'stale'
  when t.mode <> 'full' or s.unmediated_seen > 0 or s.actions_mediated < s.actions_seen or exists (
    select from findings f where f.tenant_id = a.tenant_id and f.agent_id = a.id
      and f.status = 'open' and f.type = 'coverage_gap') then 'partial'
  when coalesce(s.actions_seen, 0) = 0 then 'claimed'
  when t.agent_id is null then 'observed'
  else 'covered' end`
