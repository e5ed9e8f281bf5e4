-- Secrets of tools, for edges. `secret_sealed` is encrypted with the vault key. `version` is that of the name: see credential_names.
create table credentials (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  environment_id uuid not null,
  name text not null,
  kind text not null check (kind in ('bearer', 'header', 'basic', 'environment', 'oauth_client_credentials')),
  config jsonb not null default '{}',
  secret_sealed text not null,
  version integer not null,
  created_by uuid,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  -- Heartbeats and edges read the credentials of an environment by this key.
  unique (tenant_id, environment_id, name),
  foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
) with (fillfactor = 80);
create index credentials_by_name on credentials (tenant_id, name, id);

-- The last version that a name had in its environment. A row stays when its credential is deleted, so that a credential of the same name
-- never has a version that an edge has seen. There is no foreign key to the environment: with one, a change of a credential and the deletion
-- of its environment could wait for each other.
create table credential_names (
  tenant_id uuid not null references tenants (id) on delete cascade,
  environment_id uuid not null,
  name text not null,
  version integer not null,
  primary key (tenant_id, environment_id, name)
);

-- The servers for which edges fetched a credential. A fetch is audited once per edge, server, version and hour.
create table credential_uses (
  tenant_id uuid not null,
  credential_id uuid not null,
  edge_id uuid not null,
  server text not null,
  version integer not null,
  audited_hour timestamptz(3) not null,
  used_at timestamptz(3) not null,
  primary key (tenant_id, credential_id, edge_id, server),
  foreign key (tenant_id, credential_id) references credentials (tenant_id, id) on delete cascade
);
create index credential_uses_by_time on credential_uses (tenant_id, credential_id, used_at);

do $$
declare
  t text;
begin
  foreach t in array array['credentials', 'credential_names', 'credential_uses'] loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format('create policy own_tenant on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', t);
    execute format('grant select, insert, update, delete on %I to mandate_app', t);
  end loop;
end $$;
