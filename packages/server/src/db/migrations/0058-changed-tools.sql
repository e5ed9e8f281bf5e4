-- The finding on agents that may call a tool whose definition changed after it was pinned.
alter table findings drop constraint findings_type_check;
alter table findings add constraint findings_type_check check (type in (
  'policy_drift_unapproved', 'coverage_gap', 'evidence_stale', 'unapproved_running', 'approval_without_record', 'decision_gap',
  'tool_definition_changed'));

-- For which changed definitions the findings of the environment's agents were last settled, as a digest, and when. Null before the first time.
alter table tool_inventories add column settled_changes text, add column settled_at timestamptz(3);

-- Tools that can have a changed definition.
create index tools_pinned on tools (tenant_id, environment_id) where pins <> '{}';
