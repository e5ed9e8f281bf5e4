/** Evidence that is older than this is stale. It no longer shows what the agent does now. */
export const freshness = `interval '15 minutes'`

/**
 * SQL for the time of the newest evidence in a row of `agent_evidence`: the time of the attestation, or the end of the latest
 * reporting window if that is later.
 */
export const newestEvidence = (evidence: string) => `greatest(${evidence}.attested_at, ${evidence}.window_end)`

/** Aliases that `coverageJoins` gives to the tables that it joins. */
interface Evidence {
  /** The row of `agent_evidence`, with the latest attestation and the latest execution stats. */
  evidence: string
  /** The agent's open findings. The columns are `json` (the findings, separated by commas) and `has_gap`. */
  findings: string
}

/**
 * Joins an agent's evidence and open findings to its row. `agent` is the alias of the row. These are left joins, so agents
 * without evidence remain.
 */
export const coverageJoins = ({ agent, evidence, findings }: Evidence & { agent: string }) => `
  left join agent_evidence ${evidence} on ${evidence}.tenant_id = ${agent}.tenant_id and ${evidence}.agent_id = ${agent}.id
  left join lateral (select string_agg(x.wire_json, ',') as json, bool_or(x.type = 'coverage_gap') as has_gap
    from findings x where x.tenant_id = ${agent}.tenant_id and x.agent_id = ${agent}.id and x.status = 'open') ${findings} on true`

/** SQL for the state of execution coverage while the evidence is fresh. `hasGap` is SQL: the agent has an open coverage gap. */
export const freshState = (evidence: string, hasGap: string) =>
  `case when ${hasGap} and ${evidence}.shows <> 'unknown' then 'partial' else ${evidence}.shows end`

/**
 * SQL for the state of execution coverage at the time `now`. Agents and lists show this state, and lists can filter by it.
 */
export const coverageState = ({ evidence, findings, now }: Evidence & { now: string }) => `case
    when (${evidence}.shows <> 'unknown') is not true then 'unknown'
    when ${newestEvidence(evidence)} < ${now} - ${freshness} then 'stale'
    when ${findings}.has_gap then 'partial'
    else ${evidence}.shows end`
