-- Each filter and each order of the agent list finds its rows by an index, in the order of the list.
drop index agents_by_policy;
create index agents_by_policy on agents (tenant_id, policy_id, governance_state, id desc);
drop index agents_by_owner;
create index agents_by_owner on agents (tenant_id, owner_user_id, governance_state, id desc);
-- PostgreSQL does not see that rows with a null in an index column are in the order of the next columns.
create index agents_without_owner on agents (tenant_id, governance_state, id desc) where owner_user_id is null;
create index agents_by_framework on agents (tenant_id, governance_state, framework, id desc);
create index agents_by_drift on agents (tenant_id, governance_state, drift_state, id desc);
create index agents_never_heard on agents (tenant_id, governance_state, id desc) where not heard;
create index agents_by_name on agents (tenant_id, governance_state, name_key, id);
create index agents_by_attention on agents (tenant_id, governance_state, attention, name_key, id);
-- A heartbeat changes this index once in ten minutes.
create index agent_runtime_by_heartbeat on agent_runtime (tenant_id, heartbeat_slot desc, agent_id desc);
