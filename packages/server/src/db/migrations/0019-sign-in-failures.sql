-- Failed sign-ins of an account in a minute, counted here until they become one entry of the tenant's trail. Ids, counts and the
-- address of the last client; nothing that anybody wrote. Global: who asks is not known yet, and the job serves every tenant.
create table sign_in_failures (
  tenant_id uuid not null,
  user_id uuid not null,
  minute timestamptz(3) not null,
  attempts integer not null check (attempts > 0),
  last_at timestamptz(3) not null,
  ip text not null,
  request_id text not null,
  primary key (tenant_id, user_id, minute)
);
create index sign_in_failures_by_minute on sign_in_failures (minute);
grant select, insert, update, delete on sign_in_failures to mandate_app;
