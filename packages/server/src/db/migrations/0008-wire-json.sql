-- The part of a row's JSON that depends on the row alone, written when the row is: lists and reads then copy it.

create function wire_time(at timestamptz) returns text language sql immutable strict parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

create function wire_text(value text) returns text language sql immutable parallel safe
  return coalesce(to_json(value)::text, 'null');

create function wire_uuid(value uuid) returns text language sql immutable parallel safe
  return coalesce('"' || value::text || '"', 'null');

-- The fields without the braces: what depends on other rows is written after them.
create function agent_wire_fields(
  tenant_id uuid, id uuid, name text, description text, status text, source text, governance_state text,
  lifecycle_status text, approved_policy_id uuid, approved_version integer, framework text, model text, tools text[],
  metadata jsonb, owner_user_id uuid, created_at timestamptz, updated_at timestamptz
) returns text language plpgsql immutable parallel safe as $$
begin
  return concat(
    '"id":"', id, '","tenant_id":"', tenant_id, '","name":', to_json(name), ',"description":', to_json(description),
    ',"status":"', status, '","source":"', source, '","governance_state":"', governance_state,
    '","lifecycle_status":"', lifecycle_status, '","approved_policy":', case when approved_policy_id is null then 'null'
      else concat('{"id":"', approved_policy_id, '","version":', coalesce(approved_version::text, 'null'), '}') end,
    ',"framework":', to_json(framework), ',"model":', to_json(model), ',"tools":', to_json(tools),
    ',"metadata":', metadata, ',"owner_user_id":', wire_uuid(owner_user_id),
    ',"created_at":"', wire_time(created_at), '","updated_at":"', wire_time(updated_at), '"');
end $$;

alter table agents add column wire_fields text generated always as (
  agent_wire_fields(tenant_id, id, name, description, status, source, governance_state, lifecycle_status,
    approved_policy_id, approved_version, framework, model, tools, metadata, owner_user_id, created_at, updated_at)
) stored;

alter table environments add column wire_json text not null generated always as (
  '{"id":"' || id::text || '","name":' || wire_text(name) || ',"slug":"' || slug || '"}'
) stored;

alter table policies add column wire_json text not null generated always as (
  '{"id":"' || id::text || '","name":' || wire_text(name) || ',"version":' || version::text || '}'
) stored;

alter table findings add column wire_json text not null generated always as (
  '{"id":"' || id::text || '","agent_id":"' || agent_id::text || '","type":"' || type || '","severity":' || wire_text(severity)
  || ',"status":"' || status || '","evidence":' || evidence::text || ',"remediation":' || wire_text(remediation)
  || ',"opened_at":"' || wire_time(opened_at) || '","closed_at":' || coalesce('"' || wire_time(closed_at) || '"', 'null') || '}'
) stored;

-- All that is known of an agent's execution coverage, in one row: its latest attestation and its latest window of stats.

create function attested_wire_json(mode text, tools text[], mediation_points text[], edge_version text, attested_at timestamptz)
returns text language plpgsql immutable parallel safe as $$
begin
  return case when attested_at is null then 'null' else concat(
    '{"mode":"', mode, '","tools":', to_json(tools), ',"mediation_points":', to_json(mediation_points),
    ',"edge_version":', to_json(edge_version), ',"attested_at":"', wire_time(attested_at), '"}') end;
end $$;

create function observed_wire_json(
  window_start timestamptz, window_end timestamptz, actions_seen bigint, actions_mediated bigint, unmediated_seen bigint,
  reported_at timestamptz
) returns text language plpgsql immutable parallel safe as $$
begin
  return case when window_end is null then 'null' else concat(
    '{"window_start":"', wire_time(window_start), '","window_end":"', wire_time(window_end),
    '","actions_seen":', actions_seen, ',"actions_mediated":', actions_mediated, ',"unmediated_seen":', unmediated_seen,
    ',"reported_at":"', wire_time(reported_at), '"}') end;
end $$;

alter table agent_attestations rename to agent_evidence;
alter table agent_evidence rename constraint agent_attestations_pkey to agent_evidence_pkey;
alter table agent_evidence alter column mode drop not null, alter column tools drop not null,
  alter column mediation_points drop not null, alter column edge_version drop not null, alter column attested_at drop not null,
  add column window_start timestamptz(3), add column window_end timestamptz(3), add column actions_seen bigint,
  add column actions_mediated bigint, add column unmediated_seen bigint, add column reported_at timestamptz(3),
  add constraint attested_whole check (num_nulls(mode, tools, mediation_points, edge_version, attested_at) in (0, 5)),
  add constraint observed_whole check (
    num_nulls(window_start, window_end, actions_seen, actions_mediated, unmediated_seen, reported_at) in (0, 6)),
  set (fillfactor = 80);

-- An owner that is no superuser is held to a tenant too, and would copy nothing.
alter table execution_stats no force row level security;
alter table agent_evidence no force row level security;
insert into agent_evidence (tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated, unmediated_seen,
  reported_at)
select distinct on (tenant_id, agent_id) tenant_id, agent_id, window_start, window_end, actions_seen, actions_mediated,
  unmediated_seen, reported_at
from execution_stats order by tenant_id, agent_id, window_end desc, window_start desc
on conflict (tenant_id, agent_id) do update set window_start = excluded.window_start, window_end = excluded.window_end,
  actions_seen = excluded.actions_seen, actions_mediated = excluded.actions_mediated,
  unmediated_seen = excluded.unmediated_seen, reported_at = excluded.reported_at;
alter table execution_stats force row level security;
alter table agent_evidence force row level security;

alter table agent_evidence
  add column attested_json text not null generated always as (
    attested_wire_json(mode, tools, mediation_points, edge_version, attested_at)) stored,
  add column observed_json text not null generated always as (
    observed_wire_json(window_start, window_end, actions_seen, actions_mediated, unmediated_seen, reported_at)) stored;

-- Where the list of agents looks for coverage that few agents have: it computes their state, but not everyone else's.
create index agent_evidence_by_age on agent_evidence (tenant_id, (greatest(attested_at, window_end)));
create index agent_evidence_with_gap on agent_evidence (tenant_id, agent_id)
  where mode <> 'full' or unmediated_seen > 0 or actions_mediated < actions_seen;
