-- A tool call that an edge holds until a person lets it pass or refuses it.
create table approvals (
  tenant_id uuid not null,
  -- Made by the edge, so that asking again is no second question.
  id uuid not null,
  agent_id uuid not null,
  tool text not null,
  args_digest text not null,
  arguments jsonb,
  policy_id uuid not null,
  policy_version integer not null,
  policy_hash text not null,
  rule_id uuid,
  rule_name text,
  reason text not null,
  -- Over the request as it was sent: tells the same request from another one with the same id.
  request_hash text not null,
  status text not null check (status in ('pending', 'approved', 'rejected', 'expired', 'consumed')),
  assigned_role text not null check (assigned_role in ('manager', 'owner')),
  requested_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  resolved_by uuid,
  resolved_at timestamptz(3),
  comment text,
  consumed_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
);
create index approvals_by_time on approvals (tenant_id, requested_at desc, id desc);
create index approvals_by_agent on approvals (tenant_id, agent_id, requested_at desc, id desc);
create index approvals_pending on approvals (tenant_id, agent_id) where status = 'pending';

-- Links in mails, one person's each. No foreign key to the person: who they are by then is read when they decide.
create table approval_links (
  tenant_id uuid not null,
  token_hash bytea not null,
  approval_id uuid not null,
  user_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, token_hash),
  foreign key (tenant_id, approval_id) references approvals (tenant_id, id) on delete cascade
);
create index approval_links_by_approval on approval_links (tenant_id, approval_id);

do $$
declare
  t text;
begin
  foreach t in array array['approvals', 'approval_links'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy own_tenant on %I using (
      tenant_id = (select nullif(current_setting(''app.tenant_id'', true), '''')::uuid))', t);
    execute format('grant select, insert, update, delete on %I to mandate_app', t);
  end loop;
end $$;

-- When approvals that may still be used run out: a look-up, for the job that expires them serves every tenant.
create table approval_deadlines (
  tenant_id uuid not null,
  approval_id uuid not null,
  expires_at timestamptz(3) not null,
  primary key (tenant_id, approval_id)
);
create index approval_deadlines_by_time on approval_deadlines (expires_at);
grant select, insert, update, delete on approval_deadlines to mandate_app;

alter table credential_lookup drop constraint credential_lookup_kind_check;
alter table credential_lookup add constraint credential_lookup_kind_check
  check (kind in ('api_key', 'agent', 'edge', 'invitation', 'share_link', 'approval_link'));
