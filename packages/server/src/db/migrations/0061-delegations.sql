-- Delegations: permissions for agents to act for a person. A chain begins with a delegation that a person made (`root_id` is its own id), and
-- all of it has the same root, subject and environment. `ancestors` are the delegations above, the first one first. `chain` has the names of
-- the time when the delegation was made. `ended_in` is the version of the environment's list in which the end is told to edges. It is null for
-- a delegation that ended because one above it ended: the edges know this from the chain in the token.
create table delegations (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  root_id uuid not null,
  parent_id uuid,
  ancestors uuid[] not null,
  depth integer not null check (depth between 1 and 5),
  environment_id uuid not null,
  agent_id uuid not null,
  subject_user_id uuid not null,
  chain jsonb not null,
  tools text[] not null,
  created_by uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  ended_because text check (ended_because in ('revoked', 'access_lost', 'suspended', 'archived', 'blocked', 'retired')),
  ended_by uuid,
  ended_in integer,
  primary key (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
) with (fillfactor = 90);
create index delegations_by_agent on delegations (tenant_id, agent_id, id desc);
create index delegations_of_holder on delegations (tenant_id, agent_id, expires_at) where ended_at is null;
create index delegations_of_parent on delegations (tenant_id, parent_id, expires_at) where ended_at is null and parent_id is not null;
create index delegations_by_root on delegations (tenant_id, root_id);
create index delegations_by_subject on delegations (tenant_id, subject_user_id, expires_at) where ended_at is null;
-- A limit counts the ended delegations of a person who made them.
create index delegations_ended_of_creator on delegations (tenant_id, created_by, expires_at) where ended_in is not null;
-- Limits count the active delegations, and the clean-up deletes those that expired long ago.
create index delegations_by_expiry on delegations (tenant_id, expires_at);
-- Edges read what ended since a version.
create index delegations_ended on delegations (tenant_id, environment_id, expires_at, ended_in) where ended_in is not null;

-- The version of an environment's list of ended delegations. A row exists from the first delegation. The row is the lock for making and ending
-- delegations. A parent is read after the lock, so no child is made below a delegation that ends. There is no
-- foreign key to the environment: with one, a delegation and the deletion of its environment could wait for each other.
create table delegation_lists (
  tenant_id uuid not null references tenants (id) on delete cascade,
  environment_id uuid not null,
  version integer not null,
  primary key (tenant_id, environment_id)
) with (fillfactor = 80);

do $$
declare
  t text;
begin
  foreach t in array array['delegations', 'delegation_lists'] loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format('create policy own_tenant on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', t);
    execute format('grant select, insert, update, delete on %I to mandate_app', t);
  end loop;
end $$;
