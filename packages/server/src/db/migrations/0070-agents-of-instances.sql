-- The agents that the last heartbeat of an instance carried. Null before the first heartbeat after the upgrade.
alter table edge_instances add column agent_ids uuid[];
