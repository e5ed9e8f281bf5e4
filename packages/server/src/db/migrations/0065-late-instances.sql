-- Marks of instances that sent no heartbeat for a while. Silent instances are found by the mark, without reading all instances. A job sets and
-- removes the marks, and a heartbeat does not write them, so it changes no index. An instance that returned keeps its mark until the job runs.
alter table edge_instances add column is_late boolean not null default false;
create index edge_instances_late on edge_instances (tenant_id, environment_id, credential_id, instance_id) where is_late;

-- The tenants whose late instances are marked: every instance without a heartbeat since `marked_before` has the mark. A tenant with few instances
-- has no row, because reading its instances takes little time.
create table late_marks (
  tenant_id uuid primary key references tenants (id) on delete cascade,
  marked_before timestamptz(3) not null
);
alter table late_marks enable row level security, force row level security;
create policy own_tenant on late_marks
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
grant select, insert, update, delete on late_marks to mandate_app;
