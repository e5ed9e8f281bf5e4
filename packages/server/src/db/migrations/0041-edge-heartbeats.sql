-- The last heartbeat of an edge, so that a list of edges does not read the instances of every edge. Each heartbeat with the edge's key updates
-- the row, and free space in the pages keeps these updates out of the indexes.
alter table edges set (fillfactor = 70);
alter table edges add column last_heartbeat_at timestamptz(3);

-- What the last heartbeat of an instance said: for how many agents the credential is valid, and when the instance denies every call if no
-- further heartbeat is answered. `closes_at` is null if the instance keeps its policies, or if it did not say.
alter table edge_instances add column agents integer not null default 0, add column closes_at timestamptz(3);

alter table edges no force row level security;
alter table edge_instances no force row level security;
update edges e set last_heartbeat_at = i.seen_at
from (select tenant_id, credential_id, max(seen_at) as seen_at from edge_instances group by tenant_id, credential_id) i
where i.tenant_id = e.tenant_id and i.credential_id = e.id;
alter table edges force row level security;
alter table edge_instances force row level security;
