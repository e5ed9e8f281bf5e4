-- The inventory of tools: what servers declare, and what people pinned, blocked and labelled.

alter table environments add column tool_pinning text not null default 'alert' check (tool_pinning in ('off', 'alert', 'enforce'));

-- The version of an environment's pins, blocks and labels, its number of tools, and the bytes of their definitions. A row exists from the first tool or the first change of
-- tool_pinning. The row is the lock for changes of the inventory. There is no foreign key to the environment: with one, a change of a tool and
-- the deletion of its environment could wait for each other.
create table tool_inventories (
  tenant_id uuid not null references tenants (id) on delete cascade,
  environment_id uuid not null,
  version integer not null,
  tools integer not null,
  bytes bigint not null default 0,
  primary key (tenant_id, environment_id)
) with (fillfactor = 80);

-- `title` and `description` are shortened copies of those of the latest definition. `changed_in` is the version of the inventory in which
-- pins, block or labels were last changed. `labels_by_people`: people set the labels, so reports do not change them any more. `agent_id`: only agents
-- with keys of their own reported the tool, and this agent was the first. Null as soon as an edge reports it.
create table tools (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  environment_id uuid not null,
  tool text not null,
  server text not null,
  name text not null,
  title text,
  description text,
  latest_hash text not null,
  pins text[] not null default '{}',
  labels text[] not null default '{}',
  labels_by_people boolean not null default false,
  agent_id uuid,
  block_reason text,
  changed_in integer not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (tenant_id, id),
  -- Lists are sorted by this key.
  unique (tenant_id, tool, environment_id),
  foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
) with (fillfactor = 80);
-- Edges read the tools that changed since a version.
create index tools_by_change on tools (tenant_id, environment_id, changed_in, id);
-- Another server with a tool of the same name.
create index tools_by_name on tools (tenant_id, environment_id, name);
-- Lists of one environment.
create index tools_by_environment on tools (tenant_id, environment_id, tool);

-- How many tools an agent with its own key added, and all of these agents together.
create index tools_of_agents on tools (tenant_id, environment_id, agent_id) where agent_id is not null;

-- `definition` is the JSON as it was reported. It is text, so that numbers and the order of fields stay. `agent_id` is like that of `tools`.
create table tool_definitions (
  tenant_id uuid not null,
  tool_id uuid not null,
  hash text not null,
  definition text not null,
  warnings jsonb not null default '[]',
  agent_id uuid,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (tenant_id, tool_id, hash),
  foreign key (tenant_id, tool_id) references tools (tenant_id, id) on delete cascade
) with (fillfactor = 80);

create index tool_definitions_of_agents on tool_definitions (tenant_id, agent_id) where agent_id is not null;

-- What each edge or agent last declared for a tool. `reporter_id` is the edge credential or the agent whose key sent the report. `declared_for`
-- is the agent that the report names, or the reporter itself.
create table tool_reports (
  tenant_id uuid not null,
  tool_id uuid not null,
  reporter_id uuid not null,
  declared_for uuid not null,
  hash text not null,
  reported_at timestamptz(3) not null,
  primary key (tenant_id, tool_id, reporter_id, declared_for),
  foreign key (tenant_id, tool_id) references tools (tenant_id, id) on delete cascade
) with (fillfactor = 70);
-- Whether some reporter declared a definition that is not pinned, and when.
create index tool_reports_by_hash on tool_reports (tenant_id, tool_id, hash, reported_at);
-- Reports that are old enough to be deleted.
create index tool_reports_by_time on tool_reports (tenant_id, reported_at);
create index tool_reports_by_agent on tool_reports (tenant_id, declared_for, tool_id);

-- Which agents called a tool.
create index decision_days_by_caller on decision_days (tenant_id, kind_id, subject_id, bucket);

do $$
declare
  t text;
begin
  foreach t in array array['tool_inventories', 'tools', 'tool_definitions', 'tool_reports'] loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format('create policy own_tenant on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', t);
    execute format('grant select, insert, update, delete on %I to mandate_app', t);
  end loop;
end $$;
