-- Events of the last minutes, for the event stream and for the push to edges. An audit entry has one row, which is read as the event
-- `audit.recorded` and as the event of the change.
--
-- Rows live in five partitions that are used in turn, each for five minutes. A job empties a partition before it is used again, so rows
-- live for at least 15 minutes. Emptying a partition takes the same time for few and for many rows.
--
-- Transactions commit in another order than they write. So a reader does not remember the last row that it read, but its snapshot. The new
-- rows are those whose transaction (`xact_id`) was not visible in that snapshot. `snapshot` is that of the statement that wrote the row:
-- a reader that has the row also has all rows that are visible in it. `place` orders the rows of one read. A row that was visible when
-- another row was written has the lower place. The sequence is shared by all tenants, so no place may leave the server.
create sequence event_places;
grant usage on sequence event_places to mandate_app;

create table events (
  tenant_id uuid not null,
  slot integer not null,
  id uuid not null,
  place bigint not null,
  xact_id xid8 not null,
  snapshot pg_snapshot not null,
  stored_at timestamptz(3) not null,
  at timestamptz(3) not null,
  type text not null,
  audience text not null check (audience in ('people', 'organization', 'agent', 'policy', 'edge')),
  is_audited boolean not null,
  resource_type text not null,
  resource_id uuid not null,
  agent_id uuid,
  environment_id uuid,
  details jsonb,
  primary key (tenant_id, id, slot)
) partition by list (slot);
create index events_by_xact on events (tenant_id, xact_id);

alter table events enable row level security, force row level security;
create policy own_tenant on events using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
grant select, insert, delete on events to mandate_app;

do $$
begin
  for slot in 0..4 loop
    execute format('create table events_%s partition of events for values in (%s)', slot, slot);
    execute format('alter table events_%s enable row level security, force row level security', slot);
    execute format('create policy own_tenant on events_%s using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', slot);
    -- Rows are rarely deleted one by one, so only inserts make a vacuum useful, and the partition is emptied before that.
    execute format('alter table events_%s set (autovacuum_vacuum_insert_threshold = -1)', slot);
  end loop;
end $$;

-- Tenants that have a stream of decisions, or had one minutes ago. Only for them, stored decisions are written to `events`.
create table decision_listeners (
  tenant_id uuid not null primary key references tenants (id) on delete cascade,
  until timestamptz(3) not null
);
alter table decision_listeners enable row level security, force row level security;
create policy own_tenant on decision_listeners using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
grant select, insert, update, delete on decision_listeners to mandate_app;

-- The state of execution coverage of which the last event told. An event is written only if the state changes.
alter table agent_evidence add column told_state text;
-- Set while an event said that the edge is silent.
alter table edges add column silent_since timestamptz(3);
