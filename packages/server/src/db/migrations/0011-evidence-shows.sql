-- What evidence shows, but for its age and for findings: a read names it, and need not work it out. A window in which nothing was
-- seen is no observation, so a claim that was never put to the test is not `covered`.
drop index agent_evidence_by_showing;
alter table agent_evidence add column shows text not null generated always as (
  case
    when mode is null and (actions_seen > 0 or unmediated_seen > 0) is not true then 'unknown'
    when mode <> 'full' or unmediated_seen > 0 or actions_mediated < actions_seen then 'partial'
    when (actions_seen > 0) is not true then 'claimed'
    when mode is null then 'observed'
    else 'covered' end
) stored;
create index agent_evidence_by_showing on agent_evidence (tenant_id, shows, (greatest(attested_at, window_end)));
