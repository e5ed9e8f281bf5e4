-- What an edge tells people about a pending call. Null in rows of the previous version: nothing is known.
alter table approvals add column session_id text;
alter table approvals add column on_behalf_of text;
alter table approvals add column chain jsonb;
alter table approvals add column labels text[];
alter table approvals add column content jsonb;
alter table approvals add column edge_id uuid;
-- True if the digest is that of the shown arguments. False if the edge shortened or redacted them. Null if nobody compared them.
alter table approvals add column arguments_exact boolean;

-- The user who may decide only if nobody else could: the owner of an approval's agent, and the user who requested a review. The zeros
-- mean nobody. A column that can be null would need an expression in its indexes, and row-level security prevents their use.
-- In an approval the value is current while the approval is pending. The previous version neither sets nor updates it: while both
-- versions run, `mine` may list an approval of the caller's own agent. The column of reviews writes every row of the table once more.
alter table approvals add column last_resort_user_id uuid not null default '00000000-0000-0000-0000-000000000000';
alter table reviews add column last_resort_user_id uuid not null generated always as (
  coalesce(requested_by, '00000000-0000-0000-0000-000000000000')) stored;
alter table approvals no force row level security;
alter table agents no force row level security;
update approvals r set last_resort_user_id = a.owner_user_id
  from agents a where a.tenant_id = r.tenant_id and a.id = r.agent_id and a.owner_user_id is not null and r.status = 'pending';
alter table approvals force row level security;
alter table agents force row level security;

-- What a review was about when it was opened. Null in older reviews.
alter table reviews add column subject jsonb;

-- Pending records by the role that decides and by the user who may decide only if nobody else could: the lists of what a caller could
-- decide. Such a list leaves out one user, so it reads the newest records of each other user.
create index approvals_to_decide on approvals
  (tenant_id, assigned_role, last_resort_user_id, requested_at desc, id desc)
  where status = 'pending';
create index approvals_to_decide_by_expiry on approvals
  (tenant_id, assigned_role, last_resort_user_id, expires_at desc, id desc)
  where status = 'pending';
create index approvals_to_decide_by_environment on approvals
  (tenant_id, environment_id, assigned_role, last_resort_user_id, requested_at desc, id desc)
  where status = 'pending';
create index approvals_to_decide_by_environment_and_expiry on approvals
  (tenant_id, environment_id, assigned_role, last_resort_user_id, expires_at desc, id desc)
  where status = 'pending';
create index approvals_by_last_resort on approvals (tenant_id, last_resort_user_id) where status = 'pending';
create index reviews_to_decide on reviews
  (tenant_id, kind, assigned_role, last_resort_user_id, id desc) where status = 'pending';
create index reviews_to_decide_by_environment on reviews
  (tenant_id, environment_id, kind, assigned_role, last_resort_user_id, id desc)
  where status = 'pending';

-- Approvals by the time at which they expire, for each stored status. They replace the indexes of overdue and of pending approvals.
create index approvals_by_status_and_expiry on approvals (tenant_id, status, expires_at desc, id desc) include (requested_at);
create index approvals_by_environment_status_and_expiry on approvals
  (tenant_id, environment_id, status, expires_at desc, id desc) include (requested_at);
create index approvals_by_agent_status_and_expiry on approvals
  (tenant_id, agent_id, status, expires_at desc, id desc) include (requested_at);
drop index approvals_by_expiry;
drop index approvals_by_environment_and_expiry;
drop index approvals_pending;
