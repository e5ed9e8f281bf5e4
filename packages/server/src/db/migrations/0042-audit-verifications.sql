-- The last verification of each trail that was asked for or that the daily job made. `by_user_id` is null for the daily job.
create table audit_verifications (
  tenant_id uuid not null primary key references tenants (id) on delete cascade,
  at timestamptz(3) not null,
  valid boolean not null,
  entries bigint not null,
  took_ms bigint not null,
  by_user_id uuid,
  by_name text
);
alter table audit_verifications enable row level security;
alter table audit_verifications force row level security;
create policy own_tenant on audit_verifications using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
grant select, insert, update, delete on audit_verifications to mandate_app;

-- Trails that wait for their verification or are being verified, each at most once. A process holds a lease on the trail that it
-- verifies; another process takes the trail over after the lease. A look-up: the job serves every tenant.
create table audit_verification_queue (
  tenant_id uuid not null primary key,
  requested_by uuid,
  leased_until timestamptz(3) not null,
  attempts integer not null default 0
);
create index audit_verification_queue_by_lease on audit_verification_queue (leased_until);
grant select, insert, update, delete on audit_verification_queue to mandate_app;
