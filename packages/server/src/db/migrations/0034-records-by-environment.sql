-- Lists of records for API keys that are bound to an environment. A record has the environment of its agent, so that an index can lead
-- with it. The value is null if the agent has no environment. Every insert copies the value from the agent. There is no foreign key:
-- a deletion of an environment may leave its id in old records.
--
-- The updates write every row of the three tables once more. An instance of the version before inserts records without an environment:
-- keys that are bound to the environment do not list these records.
alter table findings add column environment_id uuid;
alter table reviews add column environment_id uuid;
alter table approvals add column environment_id uuid;

-- Row-level security applies to the owner too. Without this, the updates would change no rows.
alter table agents no force row level security;
alter table findings no force row level security;
alter table reviews no force row level security;
alter table approvals no force row level security;
update findings r set environment_id = a.environment_id
  from agents a where a.tenant_id = r.tenant_id and a.id = r.agent_id and a.environment_id is not null;
update reviews r set environment_id = a.environment_id
  from agents a where a.tenant_id = r.tenant_id and a.id = r.agent_id and a.environment_id is not null;
update approvals r set environment_id = a.environment_id
  from agents a where a.tenant_id = r.tenant_id and a.id = r.agent_id and a.environment_id is not null;
alter table agents force row level security;
alter table findings force row level security;
alter table reviews force row level security;
alter table approvals force row level security;

-- Each filter of the lists within an environment, alone and with the status. They are created after the updates, which are then faster.
create index findings_by_environment on findings (tenant_id, environment_id, id desc);
create index findings_by_environment_and_status on findings (tenant_id, environment_id, status, id desc);
create index findings_by_environment_and_type on findings (tenant_id, environment_id, type, id desc);
create index findings_by_environment_status_and_type on findings (tenant_id, environment_id, status, type, id desc);
create index reviews_by_environment on reviews (tenant_id, environment_id, id desc);
create index reviews_by_environment_and_status on reviews (tenant_id, environment_id, status, id desc);
create index reviews_by_environment_and_kind on reviews (tenant_id, environment_id, kind, id desc);
create index reviews_by_environment_status_and_kind on reviews (tenant_id, environment_id, status, kind, id desc);
create index approvals_by_environment on approvals (tenant_id, environment_id, requested_at desc, id desc);
create index approvals_by_environment_and_status on approvals
  (tenant_id, environment_id, status, requested_at desc, id desc) include (expires_at);
create index approvals_by_environment_and_expiry on approvals (tenant_id, environment_id, expires_at desc)
  where status in ('pending', 'approved');
