-- Lists of what is on record about agents, for actors who see few of them: the records of an agent that a filter leaves are found in an
-- index alone.
drop index findings_by_agent;
create index findings_by_agent on findings (tenant_id, agent_id, id desc) include (status, type);
drop index reviews_by_agent;
create index reviews_by_agent on reviews (tenant_id, agent_id, id desc) include (status, kind);
drop index approvals_by_agent;
create index approvals_by_agent on approvals (tenant_id, agent_id, requested_at desc, id desc) include (status, expires_at);

-- An approval whose time is over is listed as expired before a job writes that down.
drop index approvals_by_status;
create index approvals_by_status on approvals (tenant_id, status, requested_at desc, id desc) include (expires_at);
create index approvals_by_expiry on approvals (tenant_id, expires_at) where status in ('pending', 'approved');
