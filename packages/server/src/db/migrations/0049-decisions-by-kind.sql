-- Lists of decisions by policy, rule, environment, tool or mode, and by edge, when few decisions match. `kind_hash` is the same for decisions
-- that agree in all of these except the edge. Two kinds may have the same hash, so a list also tests each row.

create function decision_kind_hash(environment_id uuid, policy_id uuid, rule_id uuid, effect text, mode text, tool text) returns bigint
language sql immutable parallel safe as $$
  select hashtextextended(coalesce(environment_id::text, '') || '|' || coalesce(policy_id::text, '') || '|' || coalesce(rule_id::text, '') || '|'
    || effect || '|' || mode || '|' || tool, 0)
$$;

-- Generated, so the previous version fills it too. This rewrites the table once.
alter table decision_records add column kind_hash bigint not null
  generated always as (decision_kind_hash(environment_id, policy_id, rule_id, effect, mode, tool)) stored;

-- As before, and new partitions generate the column too.
create or replace function add_partition(parent text, suffix text, retention integer, lower timestamptz, upper timestamptz) returns void
language plpgsql set timezone = 'UTC' as $$
declare
  name constant text := parent || '_' || suffix;
  first constant text := coalesce(quote_literal(lower), 'minvalue');
  last constant text := coalesce(quote_literal(upper), 'maxvalue');
begin
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I (like %I including defaults including constraints including generated)', name, parent);
  execute format('alter table %I enable row level security, force row level security', name);
  execute format('create policy own_tenant on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', name);
  if retention is null then
    execute format('alter table %I set (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.05)', name);
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, name, first, last);
  else
    execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_insert_threshold = 20000)', name);
    execute format('alter table %I attach partition %I for values from (%s, %s) to (%s, %s)', parent, name, retention, first, retention, last);
  end if;
end $$;

create index decision_records_by_kind on decision_records (tenant_id, kind_hash, at desc, decision_id desc) where result_of is null;
create index decision_records_by_edge on decision_records (tenant_id, edge_id, at desc, decision_id desc)
  where edge_id is not null and result_of is null;

create index decision_kinds_by_environment on decision_kinds (tenant_id, environment_id);
create index decision_kinds_by_rule on decision_kinds (tenant_id, rule_id);
create index decision_kinds_by_tool on decision_kinds (tenant_id, tool);
