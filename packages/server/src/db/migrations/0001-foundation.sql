-- Tenant-owned tables lead every key with tenant_id, so that the schema shards by tenant unchanged.
-- Global look-ups hold no foreign keys; each is written in the transaction that writes the row it points at.

create table plans (
  name text primary key,
  rank integer not null unique,
  max_users integer
);
insert into plans (name, rank, max_users) values ('free', 0, 5), ('pro', 1, 50), ('enterprise', 2, null);

-- Global look-ups -------------------------------------------------------------------------------------------------

create table credential_lookup (
  hash bytea primary key,
  kind text not null check (kind in ('api_key', 'agent', 'edge', 'invitation', 'share_link')),
  tenant_id uuid not null,
  id uuid not null
);
create index credential_lookup_by_owner on credential_lookup (tenant_id, id);

create table email_lookup (
  address text primary key,
  tenant_id uuid not null,
  user_id uuid not null
);

create table account_lookup (
  account_id text primary key,
  tenant_id uuid not null,
  user_id uuid not null
);

create table saml_domain_lookup (
  domain text primary key,
  tenant_id uuid not null
);

create table saml_provider_lookup (
  provider_id text primary key,
  tenant_id uuid not null
);

create table audit_unsealed (
  tenant_id uuid not null,
  entry_id uuid not null,
  primary key (tenant_id, entry_id)
);

-- Sign-in sessions belong to an account, which belongs to no tenant -------------------------------------------------

create table sessions (
  id uuid primary key,
  account_id text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  ip text,
  user_agent text
);
create index sessions_by_account on sessions (account_id);

create table refresh_tokens (
  token_hash bytea primary key,
  session_id uuid not null references sessions (id) on delete cascade,
  issued_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index refresh_tokens_by_session on refresh_tokens (session_id);

create table password_resets (
  token_hash bytea primary key,
  account_id text not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index password_resets_by_account on password_resets (account_id);

-- Tenants and people ----------------------------------------------------------------------------------------------

create table tenants (
  id uuid primary key,
  name text not null,
  plan text not null default 'free' references plans (name),
  max_users_override integer,
  governance_gate text not null default 'alert' check (governance_gate in ('off', 'alert', 'enforce')),
  saml_enabled boolean not null default false,
  saml_entity_id text not null default '',
  saml_sso_url text not null default '',
  saml_certificate text not null default '',
  saml_email_domain text not null default '',
  saml_provider_id text not null default '',
  created_at timestamptz(3) not null
);

create table users (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  email text not null,
  email_lower text not null,
  display_name text not null default '',
  role text not null check (role in ('viewer', 'member', 'manager', 'owner')),
  status text not null check (status in ('pending', 'active')),
  academy_only boolean not null default false,
  mfa_enrolled boolean not null default false,
  access_scope text not null default 'all' check (access_scope in ('all', 'scoped')),
  account_id text,
  last_active_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, email_lower)
);
create index users_by_created on users (tenant_id, created_at, id);

create table invitations (
  tenant_id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  invited_by uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);

create table faults (
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  primary key (tenant_id, name)
);

-- Environments, agents, policies ----------------------------------------------------------------------------------

create table environments (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  name text not null,
  slug text not null,
  is_production boolean not null default false,
  governance_mode text not null default 'enforce' check (governance_mode in ('enforce', 'monitor')),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, slug)
);

create table environment_access (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  environment_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, user_id, environment_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
);
create index environment_access_by_environment on environment_access (tenant_id, environment_id);

-- environment_id has no foreign key: a revoked key keeps naming an environment that is gone, and a binding that
-- cannot be read refuses the key.
create table api_keys (
  tenant_id uuid not null,
  id uuid not null,
  created_by uuid not null,
  name text not null,
  key_prefix text not null,
  key_hash bytea not null,
  scopes text[] not null default '{}',
  environment_id uuid,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id) on delete cascade
);
create index api_keys_by_creator on api_keys (tenant_id, created_by);
create index api_keys_by_environment on api_keys (tenant_id, environment_id);

create table policies (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  name text not null,
  description text not null default '',
  environment_id uuid,
  override_mode text not null default 'inherit' check (override_mode in ('inherit', 'enforce', 'monitor')),
  default_effect text not null default 'deny' check (default_effect in ('allow', 'deny', 'require_approval')),
  dlp_enabled boolean not null default false,
  version integer not null,
  content_hash text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, environment_id) references environments (tenant_id, id)
);
create index policies_by_environment on policies (tenant_id, environment_id, id desc);

create table policy_rules (
  tenant_id uuid not null,
  id uuid not null,
  policy_id uuid not null,
  name text not null,
  priority integer not null,
  enabled boolean not null default true,
  effect text not null check (effect in ('allow', 'deny', 'require_approval')),
  match jsonb not null,
  reason text not null default '',
  primary key (tenant_id, id),
  foreign key (tenant_id, policy_id) references policies (tenant_id, id) on delete cascade
);
create index policy_rules_by_policy on policy_rules (tenant_id, policy_id, priority);

create table policy_versions (
  tenant_id uuid not null,
  policy_id uuid not null,
  version integer not null,
  produced_by text not null check (
    produced_by in ('created', 'updated', 'rule_created', 'rule_updated', 'rule_deleted', 'restored')
  ),
  restored_from integer,
  saved_by jsonb not null,
  saved_at timestamptz(3) not null,
  change_summary jsonb not null,
  change_class text not null check (change_class in ('tightens', 'loosens', 'mixed', 'neutral')),
  snapshot jsonb not null,
  content_hash text not null,
  primary key (tenant_id, policy_id, version),
  foreign key (tenant_id, policy_id) references policies (tenant_id, id) on delete cascade
);

create table platforms (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  kind text not null check (kind in ('github', 'salesforce', 'm365', 'snowflake')),
  name text not null,
  config jsonb not null default '{}',
  auth_secret_sealed text,
  last_sync_status text,
  last_sync_at timestamptz(3),
  last_error text,
  created_by uuid,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);

create table agents (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  name text not null,
  description text not null default '',
  status text not null check (status in ('registered', 'active', 'suspended', 'archived')),
  source text not null check (source in ('runtime', 'github', 'salesforce', 'm365', 'snowflake')),
  governance_state text not null check (governance_state in ('discovered', 'governed', 'suppressed')),
  lifecycle_status text not null check (lifecycle_status in ('proposed', 'approved', 'blocked', 'retired')),
  environment_id uuid,
  policy_id uuid,
  framework text not null default '',
  model text not null default '',
  tools text[] not null default '{}',
  metadata jsonb not null default '{}',
  owner_user_id uuid,
  key_hash bytea,
  platform_id uuid,
  external_id text,
  approved_policy_id uuid,
  approved_version integer,
  approved_hash text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, platform_id, external_id),
  foreign key (tenant_id, environment_id) references environments (tenant_id, id),
  foreign key (tenant_id, policy_id) references policies (tenant_id, id),
  foreign key (tenant_id, owner_user_id) references users (tenant_id, id),
  foreign key (tenant_id, platform_id) references platforms (tenant_id, id)
);
create index agents_by_state on agents (tenant_id, governance_state, id desc);
create index agents_by_environment on agents (tenant_id, environment_id, governance_state, id desc);
create index agents_by_policy on agents (tenant_id, policy_id);
create index agents_by_owner on agents (tenant_id, owner_user_id);

create table agent_grants (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  agent_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, user_id, agent_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
);
create index agent_grants_by_agent on agent_grants (tenant_id, agent_id);

-- What a heartbeat writes: narrow rows with room for in-place updates and no index beyond the key.
create table agent_runtime (
  tenant_id uuid not null,
  agent_id uuid not null,
  last_heartbeat_at timestamptz(3) not null,
  running_policy_id uuid,
  running_version integer,
  running_hash text,
  reported_at timestamptz(3),
  primary key (tenant_id, agent_id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
) with (fillfactor = 70);

-- What an edge was last given for an agent. The number goes up whenever the content differs, so that an edge can refuse
-- an old profile played back to it.
create table agent_profiles (
  tenant_id uuid not null,
  agent_id uuid not null,
  profile_hash text not null,
  profile_seq bigint not null,
  primary key (tenant_id, agent_id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
) with (fillfactor = 70);

create table edges (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  environment_id uuid not null,
  key_hash bytea not null,
  key_prefix text not null,
  created_by uuid,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
);
create index edges_by_environment on edges (tenant_id, environment_id);

create table edge_instances (
  tenant_id uuid not null references tenants (id) on delete cascade,
  credential_id uuid not null,
  instance_id text not null,
  seq bigint not null,
  edge_version text not null default '',
  seen_at timestamptz(3) not null,
  primary key (tenant_id, credential_id, instance_id)
) with (fillfactor = 70);

create table agent_attestations (
  tenant_id uuid not null,
  agent_id uuid not null,
  mode text not null check (mode in ('full', 'partial', 'none')),
  tools text[] not null,
  mediation_points text[] not null,
  edge_version text not null,
  attested_at timestamptz(3) not null,
  primary key (tenant_id, agent_id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
);

create table execution_stats (
  tenant_id uuid not null,
  agent_id uuid not null,
  window_start timestamptz(3) not null,
  window_end timestamptz(3) not null,
  actions_seen bigint not null,
  actions_mediated bigint not null,
  unmediated_seen bigint not null,
  by_effect jsonb,
  reported_at timestamptz(3) not null,
  primary key (tenant_id, agent_id, window_end, window_start),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
);

create table decisions (
  tenant_id uuid not null,
  decision_id uuid not null,
  agent_id uuid not null,
  tool text not null,
  effect text not null check (effect in ('allow', 'deny', 'require_approval')),
  mode text not null check (mode in ('enforce', 'monitor')),
  rule_id uuid,
  policy_version integer,
  args_digest text not null,
  at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  primary key (tenant_id, decision_id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
);
create index decisions_by_agent on decisions (tenant_id, agent_id, at desc);

create table reviews (
  tenant_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  kind text not null check (kind in ('onboarding', 'change', 'attestation')),
  status text not null check (status in ('pending', 'approved', 'rejected', 'attested', 'superseded')),
  assigned_role text not null check (assigned_role in ('manager', 'owner')),
  requested_by uuid,
  opened_at timestamptz(3) not null,
  resolved_by uuid,
  resolved_at timestamptz(3),
  comment text,
  primary key (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
);
create index reviews_by_status on reviews (tenant_id, status, id desc);
create unique index reviews_one_pending on reviews (tenant_id, agent_id, kind) where status = 'pending';

create table findings (
  tenant_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  type text not null check (type in ('policy_drift_unapproved', 'coverage_gap', 'evidence_stale', 'unapproved_running')),
  severity text not null,
  status text not null check (status in ('open', 'closed')),
  evidence jsonb not null,
  remediation text not null,
  opened_at timestamptz(3) not null,
  closed_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
);
create unique index findings_one_open on findings (tenant_id, agent_id, type) where status = 'open';
create index findings_by_status on findings (tenant_id, status, id desc);

-- Reports ---------------------------------------------------------------------------------------------------------

-- environment_id has no foreign key: when the environment goes, the report stays as the organization's.
create table reports (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  environment_id uuid,
  title text not null,
  generated_by uuid,
  snapshot jsonb not null,
  created_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (tenant_id, id)
);
create index reports_by_environment on reports (tenant_id, environment_id, id desc);

create table report_share_links (
  tenant_id uuid not null,
  id uuid not null,
  report_id uuid not null,
  token_hash bytea not null,
  created_by uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, report_id) references reports (tenant_id, id) on delete cascade
);
create index report_share_links_by_report on report_share_links (tenant_id, report_id);

-- Audit trail -----------------------------------------------------------------------------------------------------

-- No foreign keys: entries outlive the rows, and the tenant, that they name.
create table audit_entries (
  tenant_id uuid not null,
  id uuid not null,
  source text not null check (source in ('control_plane', 'edge')),
  event_type text not null,
  category text not null check (category in ('people', 'organization', 'agent', 'policy')),
  outcome text not null default 'success',
  actor_type text not null,
  actor_user_id uuid,
  actor_name text not null,
  actor_email text not null,
  api_key_id uuid,
  api_key_prefix text,
  api_key_name text,
  resource_type text not null,
  resource_id uuid,
  resource_name text not null,
  agent_id uuid,
  environment_id uuid,
  details jsonb not null,
  request_id text not null,
  ip text not null,
  user_agent text not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create index audit_entries_by_event on audit_entries (tenant_id, event_type, id desc);
create index audit_entries_by_resource on audit_entries (tenant_id, resource_id, id desc);
create index audit_entries_by_agent on audit_entries (tenant_id, agent_id, id desc) where agent_id is not null;
create index audit_entries_by_actor on audit_entries (tenant_id, actor_user_id, id desc);

create table audit_heads (
  tenant_id uuid primary key,
  seq bigint not null,
  chain_hash bytea not null
);

create table audit_seals (
  tenant_id uuid not null,
  seq bigint not null,
  entry_id uuid not null,
  entry_hash bytea not null,
  chain_hash bytea not null,
  sealed_at timestamptz(3) not null,
  primary key (tenant_id, seq),
  unique (tenant_id, entry_id)
);

create table audit_checkpoints (
  tenant_id uuid not null,
  seq bigint not null,
  chain_hash bytea not null,
  kid text not null,
  signature text not null,
  signed_at timestamptz(3) not null,
  primary key (tenant_id, seq)
);

-- The second wall -------------------------------------------------------------------------------------------------

-- Row-level security on every table that has a tenant: statements see the tenant that the connection was set to and
-- nothing else, whatever their where clause says. FORCE holds the tables' owner to it too.
do $$
declare
  t text;
  append_only constant text[] := array['audit_entries', 'audit_seals', 'audit_checkpoints'];
  lookups constant text[] := array[
    'credential_lookup', 'email_lookup', 'account_lookup', 'saml_domain_lookup', 'saml_provider_lookup', 'audit_unsealed'
  ];
  -- As a sub-select the setting is read once a statement, not once a row.
  own_tenant constant text := $q$%I = (select nullif(current_setting('app.tenant_id', true), '')::uuid)$q$;
begin
  for t in
    select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r'
      and (c.relname = 'tenants' or exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped))
      and c.relname <> all (lookups)
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    if t = any (append_only) then
      execute format('create policy own_tenant_read on %I for select using (' || own_tenant || ')', t, 'tenant_id');
      execute format('create policy own_tenant_append on %I for insert with check (' || own_tenant || ')', t, 'tenant_id');
      execute format('grant select, insert on %I to mandate_app', t);
    else
      execute format('create policy own_tenant on %I using (' || own_tenant || ')', t,
        case when t = 'tenants' then 'id' else 'tenant_id' end);
      execute format('grant select, insert, update, delete on %I to mandate_app', t);
    end if;
  end loop;
  foreach t in array lookups || array['sessions', 'refresh_tokens', 'password_resets'] loop
    execute format('grant select, insert, update, delete on %I to mandate_app', t);
  end loop;
end $$;

grant usage on schema public to mandate_app;
grant select on plans to mandate_app;
