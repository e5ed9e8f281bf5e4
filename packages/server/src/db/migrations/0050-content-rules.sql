-- Content rules. Patterns of a tenant find something in text; the bindings of a policy say what happens then. The built-in patterns are in
-- the code. A set of bindings has versions of its own, with the tenant's patterns that it holds.
create table content_patterns (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  name text not null,
  group_name text not null,
  kind text not null check (kind in ('regex', 'words')),
  expression text,
  words text[],
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);

-- The contents of patterns that sets of bindings hold, each once, by the SHA-256 of its canonical JSON. A set names them by their hashes, so a
-- version of a large set is small, however many policies bind it.
create table content_pattern_revisions (
  tenant_id uuid not null references tenants (id) on delete cascade,
  hash text not null,
  pattern_id uuid not null,
  name text not null,
  definition jsonb not null,
  primary key (tenant_id, hash)
);

create table content_bindings_versions (
  tenant_id uuid not null,
  policy_id uuid not null,
  version integer not null,
  bindings jsonb not null,
  pattern_hashes text[] not null,
  content_hash text not null,
  saved_by jsonb not null,
  saved_at timestamptz(3) not null,
  primary key (tenant_id, policy_id, version),
  foreign key (tenant_id, policy_id) references policies (tenant_id, id) on delete cascade
);

-- Keys for digests of arguments, encrypted like the secrets of platforms.
create table content_keys (
  tenant_id uuid not null,
  environment_id uuid not null,
  key_sealed text not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, environment_id),
  foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
);

-- The current version of the bindings, and its hash; 0 and null if no bindings were ever saved. Every profile that an edge runs is compared
-- with them, so they are in the row of the policy. An instance of the version before does not write them.
alter table policies add column bindings_version integer not null default 0, add column bindings_hash text;

do $$
declare
  t text;
begin
  foreach t in array array['content_patterns', 'content_pattern_revisions', 'content_bindings_versions', 'content_keys'] loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format('create policy own_tenant on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', t);
    execute format('grant select, insert, update, delete on %I to mandate_app', t);
  end loop;
end $$;
