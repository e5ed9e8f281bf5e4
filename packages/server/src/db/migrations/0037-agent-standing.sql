-- What lists and single reads show of an agent's approval of record and of the policy that it runs, and what lists filter and sort by.
-- An index can only lead by columns of its own table, so the row of an agent also stores what depends on other rows:
--   drift_state  whether the running policy differs from the approved one; `unknown` if the approval or the report is missing
--   heard        whether a heartbeat ever named the agent
--   attention    the place of the agent when lists show open findings first: see agent-state/attention.ts
--
-- The statements write every row of the tables `agents` and `agent_runtime`. An instance of the version before does not write the new columns:
-- the next heartbeat of the agent corrects `drift_state`, `heard` and `heartbeat_slot`, and its next finding corrects `attention`.
alter table agents
  drop column wire_fields,
  add column approved_by uuid,
  add column approved_at timestamptz(3),
  add column approved_review_id uuid,
  add column drift_state text not null default 'unknown' check (drift_state in ('true', 'false', 'unknown')),
  add column heard boolean not null default false,
  add column attention bigint not null default 9000000000000000;
drop function agent_wire_fields;

alter table agent_runtime
  add column running_since timestamptz(3),
  -- The edge that reported the policy, with its name and version at that time. Null if the report used the agent key.
  add column running_edge_id uuid,
  add column running_edge_name text,
  add column running_edge_version text,
  -- The ten minutes of the last heartbeat. An index on the exact time would make every heartbeat write to the index. A generated
  -- column would cost every heartbeat the time to read its expression.
  add column heartbeat_slot timestamptz(3) not null default '2000-01-01T00:00:00Z';

-- Row-level security applies to the owner too. Without this, the updates would change no rows.
alter table agents no force row level security;
alter table agent_runtime no force row level security;
alter table reviews no force row level security;
alter table findings no force row level security;
update agent_runtime set heartbeat_slot = date_bin('10 minutes', last_heartbeat_at, '2000-01-01T00:00:00Z'::timestamptz);
-- The approval of record comes from the last review that approved the agent or attested that it is in order.
update agents a set approved_by = r.resolved_by, approved_at = r.resolved_at, approved_review_id = r.id
  from (select distinct on (tenant_id, agent_id) tenant_id, agent_id, id, resolved_by, resolved_at from reviews
    where status in ('approved', 'attested') order by tenant_id, agent_id, resolved_at desc, id desc) r
  where r.tenant_id = a.tenant_id and r.agent_id = a.id and a.approved_hash is not null;
update agents a set heard = true,
    drift_state = coalesce((case when num_nulls(r.running_policy_id, r.running_hash, a.approved_policy_id, a.approved_hash) = 0
      then r.running_policy_id <> a.approved_policy_id or r.running_hash <> a.approved_hash end)::text, 'unknown')
  from agent_runtime r where r.tenant_id = a.tenant_id and r.agent_id = a.id;
update agents a set attention = f.attention
  from (select tenant_id, agent_id, min(
      case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end * 1000000000000000
      + 999999999999999 - (extract(epoch from opened_at) * 1000)::bigint) as attention
    from findings where status = 'open' group by tenant_id, agent_id) f
  where f.tenant_id = a.tenant_id and f.agent_id = a.id;
alter table agents force row level security;
alter table agent_runtime force row level security;
alter table reviews force row level security;
alter table findings force row level security;

-- The JSON of the fields that depend only on the agent's row, without the braces.
create function agent_wire_fields(
  tenant_id uuid, id uuid, name text, description text, status text, source text, governance_state text,
  lifecycle_status text, approved_policy_id uuid, approved_version integer, approved_hash text, approved_by uuid,
  approved_at timestamptz, approved_review_id uuid, framework text, model text, tools text[], metadata jsonb,
  owner_user_id uuid, created_at timestamptz, updated_at timestamptz
) returns text language plpgsql immutable parallel safe as $$
begin
  return concat(
    '"id":"', id, '","tenant_id":"', tenant_id, '","name":', to_json(name), ',"description":', to_json(description),
    ',"status":"', status, '","source":"', source, '","governance_state":"', governance_state,
    '","lifecycle_status":"', lifecycle_status, '","approved_policy":', case when approved_policy_id is null then 'null'
      else concat('{"id":"', approved_policy_id, '","version":', coalesce(approved_version::text, 'null'),
        ',"content_hash":', wire_text(approved_hash), ',"approved_by":', wire_uuid(approved_by),
        ',"approved_at":', coalesce('"' || wire_time(approved_at) || '"', 'null'),
        ',"review_id":', wire_uuid(approved_review_id), '}') end,
    ',"framework":', to_json(framework), ',"model":', to_json(model), ',"tools":', to_json(tools),
    ',"metadata":', metadata, ',"owner_user_id":', wire_uuid(owner_user_id),
    ',"created_at":"', wire_time(created_at), '","updated_at":"', wire_time(updated_at), '"');
end $$;

alter table agents
  add column wire_fields text generated always as (
    agent_wire_fields(tenant_id, id, name, description, status, source, governance_state, lifecycle_status,
      approved_policy_id, approved_version, approved_hash, approved_by, approved_at, approved_review_id, framework, model,
      tools, metadata, owner_user_id, created_at, updated_at)) stored,
  -- Lists sort by it. Upper and lower case are the same, and the order does not depend on the locale of the server.
  add column name_key text collate "C" not null generated always as (lower(name)) stored;
