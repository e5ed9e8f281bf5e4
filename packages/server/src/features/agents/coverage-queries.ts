import { sql as fragment, type RawBuilder } from 'kysely'
import { slot } from './shaped-statement.ts'

/** Evidence older than this says nothing of now. Counted from the end of the observed window and from the attestation. */
const freshness = fragment.raw(`interval '15 minutes'`)

/** A timestamp as the wire writes it. */
export const wireTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Joins the evidence on a row `a` of agents: `t` its latest attestation, `s` its latest execution stats. */
export const coverageEvidence = fragment.raw(`
  left join lateral (select * from agent_attestations x
    where x.tenant_id = a.tenant_id and x.agent_id = a.id limit 1) t on true
  left join lateral (select * from execution_stats x
    where x.tenant_id = a.tenant_id and x.agent_id = a.id
    order by x.window_end desc, x.window_start desc limit 1) s on true`)

/**
 * The state of execution coverage at the time in slot `now`, on `coverageEvidence`: the badge and the list's filter.
 * A window in which nothing was seen is no observation, so a claim that was never put to the test is not `covered`.
 */
export const coverageState: RawBuilder<string> = fragment`case
  when t.agent_id is null and coalesce(s.actions_seen + s.unmediated_seen, 0) = 0 then 'unknown'
  when greatest(t.attested_at, s.window_end) < ${slot('now')}::timestamptz - ${freshness} then 'stale'
  when t.mode <> 'full' or s.unmediated_seen > 0 or s.actions_mediated < s.actions_seen or exists (
    select from findings f where f.tenant_id = a.tenant_id and f.agent_id = a.id
      and f.status = 'open' and f.type = 'coverage_gap') then 'partial'
  when coalesce(s.actions_seen, 0) = 0 then 'claimed'
  when t.agent_id is null then 'observed'
  else 'covered' end`

const openFindings = fragment.raw(`coalesce((
  select json_agg(json_build_object('id', f.id, 'agent_id', f.agent_id, 'type', f.type, 'severity', f.severity,
    'status', f.status, 'evidence', f.evidence, 'remediation', f.remediation, 'opened_at', ${wireTime('f.opened_at')},
    'closed_at', ${wireTime('f.closed_at')}) order by f.id)
  from findings f where f.tenant_id = a.tenant_id and f.agent_id = a.id and f.status = 'open'), '[]')`)

/** The object that `execution_coverage` and the endpoint of that name hold. */
export const coverageJson: RawBuilder<unknown> = fragment`json_build_object(
  'state', ${coverageState},
  'attested', case when t.agent_id is not null then json_build_object('mode', t.mode, 'tools', t.tools,
    'mediation_points', t.mediation_points, 'edge_version', t.edge_version,
    'attested_at', ${fragment.raw(wireTime('t.attested_at'))}) end,
  'observed', case when s.agent_id is not null then json_build_object(
    'window_start', ${fragment.raw(wireTime('s.window_start'))}, 'window_end', ${fragment.raw(wireTime('s.window_end'))},
    'actions_seen', s.actions_seen, 'actions_mediated', s.actions_mediated, 'unmediated_seen', s.unmediated_seen,
    'reported_at', ${fragment.raw(wireTime('s.reported_at'))}) end,
  'findings', ${openFindings},
  'computed_at', ${slot('now')}::text)`
