-- Each filter of the audit list has its entries in the order of the list.
create index audit_entries_by_resource_type on audit_entries (tenant_id, resource_type, id desc);
create index audit_entries_by_source on audit_entries (tenant_id, source, id desc);

-- Each filter of the lists of findings, reviews and approvals, alone and with the status.
create index findings_by_agent on findings (tenant_id, agent_id, id desc);
create index findings_by_type on findings (tenant_id, type, id desc);
create index findings_by_status_and_type on findings (tenant_id, status, type, id desc);
create index reviews_by_agent on reviews (tenant_id, agent_id, id desc);
create index reviews_by_kind on reviews (tenant_id, kind, id desc);
create index reviews_by_status_and_kind on reviews (tenant_id, status, kind, id desc);
create index approvals_by_status on approvals (tenant_id, status, requested_at desc, id desc);

-- Counts of live agents do not read archived ones.
create index agents_live_by_environment on agents (tenant_id, environment_id) where status <> 'archived';
create index agents_live_by_policy on agents (tenant_id, policy_id, id desc) where status <> 'archived';

-- Dead index entries cost a read as much as live ones until a vacuum. By default a table is vacuumed after a fifth of it changed.
-- These tables change in large batches and are read by rare values, so 2 % is enough.
do $$
declare
  t text;
begin
  foreach t in array array['agents', 'agent_evidence', 'agent_runtime', 'findings', 'reviews', 'approvals'] loop
    execute format('alter table %I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
      autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500)', t);
  end loop;
  -- Tables that only grow: reads from an index alone need the visibility map, which a vacuum writes.
  foreach t in array array['audit_entries', 'decisions'] loop
    execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 5000,
      autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 5000)', t);
  end loop;
end $$;
