-- A finding on agents that were approved directly, so that they have no approval of record.
alter table findings drop constraint findings_type_check;
alter table findings add constraint findings_type_check check (type in (
  'policy_drift_unapproved', 'coverage_gap', 'evidence_stale', 'unapproved_running', 'approval_without_record'));
