-- Counts of agents by state, each from one index, so that a count can stop at 10,000 without reading other agents.
--
-- The state of execution coverage depends on the agent, on its evidence and on an open finding. An index can only have columns of its own
-- table, so the row of the evidence also stores what the state needs of the other two. All transactions that change these values lock the
-- row of the agent first. An instance of the version before does not write the columns: until the upgrade is complete, the counts may
-- include agents that it archives, and leave out agents that it sees evidence of for the first time.
--
-- The update of agent_evidence writes every row once. A new column of findings, which is computed from others,
-- also writes every row of findings once.
alter table agent_evidence
  add column environment_id uuid,
  add column is_archived boolean not null default false,
  add column has_gap boolean not null default false;
-- `is_archived` is true for a finding that is open and whose agent is archived. `is_live` has a column of its own, because a count with a
-- condition on the status may read an index that also has the findings of archived agents.
alter table findings
  add column is_archived boolean not null default false,
  add column is_live boolean not null generated always as (status = 'open' and not is_archived) stored;

-- Row-level security applies to the owner too. Without this, the update would change no rows.
alter table agents no force row level security;
alter table agent_evidence no force row level security;
alter table findings no force row level security;
update agent_evidence v set environment_id = a.environment_id, is_archived = a.status = 'archived',
    has_gap = exists (select from findings f where f.tenant_id = a.tenant_id and f.agent_id = a.id and f.status = 'open'
      and f.type = 'coverage_gap')
  from agents a where a.tenant_id = v.tenant_id and a.id = v.agent_id;
update findings f set is_archived = true
  from agents a where a.tenant_id = f.tenant_id and a.id = f.agent_id and a.status = 'archived' and f.status = 'open';
alter table agents force row level security;
alter table agent_evidence force row level security;
alter table findings force row level security;

-- The expression is that of agent-state/coverage.ts.
create index agent_evidence_live on agent_evidence (tenant_id, environment_id,
    (case when has_gap and shows <> 'unknown' then 'partial' else shows end), (greatest(attested_at, window_end)))
  where not is_archived;

create index agents_live_by_state on agents (tenant_id, governance_state, lifecycle_status) where status <> 'archived';
-- Replaces an index with fewer columns.
create index agents_live_by_environment_and_state on agents (tenant_id, environment_id, governance_state, lifecycle_status)
  where status <> 'archived';
drop index agents_live_by_environment;
create index agents_live_by_drift on agents (tenant_id, drift_state, environment_id) where status <> 'archived' and drift_state <> 'false';
create index agents_live_without_evidence on agents (tenant_id, environment_id) where status <> 'archived' and not has_evidence;

create index findings_live_by_type on findings (tenant_id, type, id desc) where is_live;
create index findings_live_by_environment_and_type on findings (tenant_id, environment_id, type, id desc) where is_live;
