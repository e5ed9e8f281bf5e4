-- Each filter of the agent list finds its rows in the order of the list, however rare they are: a page is read, not searched.
create index agents_by_status on agents (tenant_id, governance_state, status, id desc);
create index agents_by_lifecycle on agents (tenant_id, governance_state, lifecycle_status, id desc);
create index agents_by_source on agents (tenant_id, governance_state, source, id desc);

create index findings_coverage_gaps on findings (tenant_id, agent_id) where status = 'open' and type = 'coverage_gap';
