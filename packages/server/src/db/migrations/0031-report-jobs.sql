-- A report of many agents is made by a job. It has no snapshot until it is ready.
alter table reports alter column snapshot drop not null;
alter table reports add column status text not null default 'ready' check (status in ('running', 'ready', 'failed'));
alter table reports add column progress_percent integer not null default 100;
alter table reports add column failure text;
-- Who asked for it, with the access they had, and the names it was asked under. Only while it is running.
alter table reports add column request jsonb;
alter table reports add constraint reports_ready_has_snapshot check ((status = 'ready') = (snapshot is not null));
create index reports_running on reports (tenant_id) where status = 'running';

-- Reports that wait for the job or are being made. A process holds a lease on the report that it makes; another process takes the
-- report over after the lease. A look-up: the job serves every tenant.
create table report_queue (
  tenant_id uuid not null,
  report_id uuid not null,
  leased_until timestamptz(3) not null,
  attempts integer not null default 0,
  primary key (tenant_id, report_id)
);
create index report_queue_by_lease on report_queue (leased_until);
grant select, insert, update, delete on report_queue to mandate_app;
