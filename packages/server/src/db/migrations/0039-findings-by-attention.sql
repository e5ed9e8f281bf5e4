-- A finding on agents whose edge sent a chain of decisions with a gap or a fork.
alter table findings drop constraint findings_type_check;
alter table findings add constraint findings_type_check check (type in (
  'policy_drift_unapproved', 'coverage_gap', 'evidence_stale', 'unapproved_running', 'approval_without_record', 'decision_gap'));

-- How much attention a finding needs: 8 to 5 for an open finding of the severity critical, high, medium, low, and 4 to 1 for a closed
-- one. The new column writes every row of the table once more.
alter table findings add column attention integer not null generated always as (
  case status when 'open' then 4 else 0 end + case severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 else 1 end
) stored;

-- The lists that are sorted by attention, and the lists with the filter severity: one or two values of attention.
create index findings_by_attention on findings (tenant_id, attention desc, id desc);
create index findings_by_type_and_attention on findings (tenant_id, type, attention desc, id desc);
create index findings_by_environment_and_attention on findings (tenant_id, environment_id, attention desc, id desc);
create index findings_by_environment_type_and_attention on findings (tenant_id, environment_id, type, attention desc, id desc);
create index findings_by_agent_and_attention on findings (tenant_id, agent_id, attention desc, id desc) include (type);
