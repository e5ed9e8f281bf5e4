-- Freezes and drills. Whether an agent is frozen is computed from the active freezes that cover it, so a freeze of an environment or of
-- the organization writes no row of an agent. `target_id` is the agent, the environment or the tenant. It has no foreign key, because the
-- record of a freeze stays after its environment was deleted. `environment_id` is the environment of the target when the freeze started.
create table freezes (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  scope text not null check (scope in ('agent', 'environment', 'organization')),
  target_id uuid not null,
  environment_id uuid,
  name text not null,
  reason text not null,
  drill boolean not null,
  agents integer not null,
  approvals_ended integer not null default 0,
  created_by uuid,
  created_at timestamptz(3) not null,
  audit_entry_id uuid not null,
  lifted_by uuid,
  lifted_at timestamptz(3),
  lift_reason text,
  -- Edges are told of the freeze and may confirm it: while it is active, and for a drill for about a day.
  is_open boolean not null default true,
  -- The reach of a drill when it started. The other counts are stored when the freeze closes, because instances are deleted later.
  edges_total integer not null,
  edges_confirmed integer,
  edges_unreachable integer,
  confirmed_all_at timestamptz(3),
  is_active boolean not null generated always as (not drill and lifted_at is null) stored,
  primary key (tenant_id, id)
);
-- At most one active freeze has a target. This index also answers whether an agent is frozen.
create unique index freezes_active on freezes (tenant_id, target_id) where is_active;
create index freezes_by_state on freezes (tenant_id, is_active, id desc);
create index freezes_by_target on freezes (tenant_id, target_id, id desc);
create index freezes_drills on freezes (tenant_id, target_id, id desc) where drill;
create index freezes_open on freezes (tenant_id, environment_id, id desc) where is_open;

-- The instances that confirmed a freeze. `edge_id` is set for an edge, `agent_id` for an instance with the own key of an agent. `agents` is
-- the number of agents that the instance ran.
create table freeze_confirmations (
  tenant_id uuid not null,
  freeze_id uuid not null,
  credential_id uuid not null,
  instance_id text not null,
  edge_id uuid,
  agent_id uuid,
  environment_id uuid,
  said_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  after_ms bigint not null,
  kid text,
  signature text,
  primary key (tenant_id, freeze_id, credential_id, instance_id),
  foreign key (tenant_id, freeze_id) references freezes (tenant_id, id) on delete cascade
);
-- The signature does not cover the name of the instance. So each key counts for one instance, and a signed confirmation that is sent again
-- for another instance does not count.
create unique index freeze_confirmations_by_key on freeze_confirmations (tenant_id, freeze_id, kid) where kid is not null;
create index freeze_confirmations_by_time on freeze_confirmations (tenant_id, freeze_id, received_at desc);

-- The newest profile of an agent that each instance confirmed. `stopped_at` is when the last confirmation of a profile that denies every
-- call arrived.
create table profile_confirmations (
  tenant_id uuid not null,
  agent_id uuid not null,
  credential_id uuid not null,
  instance_id text not null,
  profile_hash text not null,
  profile_seq bigint not null,
  received_at timestamptz(3) not null,
  stopped_at timestamptz(3),
  kid text,
  primary key (tenant_id, agent_id, credential_id, instance_id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
) with (fillfactor = 70);

-- Freezes whose approvals have not all ended. A look-up: the job that ends them serves every tenant.
create table freeze_endings (
  tenant_id uuid not null,
  freeze_id uuid not null,
  primary key (tenant_id, freeze_id)
);
grant select, insert, update, delete on freeze_endings to mandate_app;

do $$
declare
  t text;
begin
  foreach t in array array['freezes', 'freeze_confirmations', 'profile_confirmations'] loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format('create policy own_tenant on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', t);
    execute format('grant select, insert, update, delete on %I to mandate_app', t);
  end loop;
end $$;

-- The newest drill that the stored sequence number takes into account.
alter table agent_profiles add column drill_id uuid;

-- The environment that an instance serves, so that a freeze counts the instances of an environment from one index. An instance of the
-- version before does not write the columns; the next heartbeat does.
alter table edge_instances add column environment_id uuid, add column started_at timestamptz(3) not null default '2000-01-01T00:00:00Z';
create index edge_instances_by_environment on edge_instances (tenant_id, environment_id, credential_id, instance_id);

alter table edge_instances no force row level security;
alter table edges no force row level security;
alter table agents no force row level security;
update edge_instances i set environment_id = coalesce(
  (select e.environment_id from edges e where e.tenant_id = i.tenant_id and e.id = i.credential_id),
  (select a.environment_id from agents a where a.tenant_id = i.tenant_id and a.id = i.credential_id));
alter table edge_instances force row level security;
alter table edges force row level security;
alter table agents force row level security;
