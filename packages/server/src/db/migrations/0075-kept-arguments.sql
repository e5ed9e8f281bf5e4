-- Whether decisions of the environment keep the arguments that conditions of policies read.
alter table environments add column keep_arguments_for_replay boolean not null default false;

-- What is kept of the arguments of a decision. `kind_id`, `agent_id`, `environment_id`, `at` and the key are those of the decision. `arguments` is the
-- item that the edge sent. There is no foreign key to the tenant, because a check of each inserted row costs too much.
create table decision_arguments (
  tenant_id uuid not null,
  decision_id uuid not null,
  retention_days integer not null,
  filed_at timestamptz(3) not null,
  at timestamptz(3) not null,
  kind_id uuid not null,
  agent_id uuid not null,
  environment_id uuid not null,
  arguments jsonb not null,
  primary key (tenant_id, decision_id)
);
-- A replay reads the newest ones of a kind of decisions. The clean-up deletes expired ones, and those of an environment that keeps none any more.
create index decision_arguments_by_kind on decision_arguments (tenant_id, kind_id, at desc);
create index decision_arguments_by_time on decision_arguments (tenant_id, filed_at);
create index decision_arguments_by_environment on decision_arguments (tenant_id, environment_id);

alter table decision_arguments enable row level security, force row level security;
create policy own_tenant on decision_arguments using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
grant select, insert, update, delete on decision_arguments to mandate_app;
