-- The latest window in which anything was seen is asked for with every report; quiet windows may stand before it.
create index execution_stats_that_show on execution_stats (tenant_id, agent_id, window_end desc, window_start desc)
  where actions_seen + unmediated_seen > 0;

-- A replay counts what an agent did in a span of days, from the index alone.
drop index decisions_by_agent;
create index decisions_by_agent on decisions (tenant_id, agent_id, at desc) include (tool, effect, mode, policy_version);
