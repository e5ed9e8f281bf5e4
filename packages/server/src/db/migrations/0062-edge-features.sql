-- What an instance of an edge said in its last heartbeat that it knows. Null for a row of an earlier version.
alter table edge_instances add column features text[];
