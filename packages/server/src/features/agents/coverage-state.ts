/** Evidence older than this says nothing of now. Counted from the end of the observed window and from the attestation. */
export const freshness = `interval '15 minutes'`

/** When the newest evidence on `v` is from: what freshness counts from. */
export const newestEvidence = 'greatest(v.attested_at, v.window_end)'

// To the letter as the index has it, and of what PostgreSQL knows to leak nothing (`coalesce` is not that): else the index is of no
// use under row-level security.
/** The state that the evidence on `v` makes by itself, its age and findings aside. Without a row there is nothing either. */
export const evidenceShows = `case
    when v.mode is null and (v.actions_seen > 0 or v.unmediated_seen > 0) is not true then 'unknown'
    when v.mode <> 'full' or v.unmediated_seen > 0 or v.actions_mediated < v.actions_seen then 'partial'
    when (v.actions_seen > 0) is not true then 'claimed'
    when v.mode is null then 'observed'
    else 'covered' end`

// A window in which nothing was seen is no observation, so a claim that was never put to the test is not `covered`.
const state = (fence: string) => `
  cross join lateral (select ${evidenceShows} as shows${fence}) s
  cross join lateral (select case
    when s.shows = 'unknown' then 'unknown'
    when ${newestEvidence} < q.now - ${freshness} then 'stale'
    when f.has_gap then 'partial'
    else s.shows end as state${fence}) c`

/** Keeps what is worked out once from being copied to each place that names it. */
const once = ' offset 0'

/**
 * Joins the evidence on a row `a` of agents: `v` its latest attestation and execution stats, `f` its open findings, `c` the state
 * they make at `q.now`.
 */
export const coverageEvidence = `
  left join agent_evidence v on v.tenant_id = a.tenant_id and v.agent_id = a.id
  left join lateral (select string_agg(x.wire_json, ',') as json, bool_or(x.type = 'coverage_gap') as has_gap
    from findings x where x.tenant_id = a.tenant_id and x.agent_id = a.id and x.status = 'open') f on true${state(once)}`

/** As `coverageEvidence`, for an agent on which there cannot be any yet: reads nothing, and its state is known when it is planned. */
export const noEvidence = `
  cross join (select (null::agent_evidence).*) v
  cross join (select null::text as json, null::boolean as has_gap) f${state('')}`

/** The state of execution coverage at `q.now`: the badge and the list's filter. */
export const coverageState = 'c.state'
