-- The current owner of an approval's agent, while the approval is pending. `last_resort_user_id` stays the owner at the time of the
-- request, so that a change of the owner does not let the earlier owner decide. The zeros mean nobody. The previous version does not set
-- the new column: while both versions run, `mine` may list an approval of the caller's own agent. A change of the owner by the previous version
-- loses the owner at the time of the request, and `mine` may leave out an approval, until the approval ends.
alter table approvals add column agent_owner_user_id uuid not null default '00000000-0000-0000-0000-000000000000';
alter table approvals no force row level security;
update approvals set agent_owner_user_id = last_resort_user_id
  where status = 'pending' and last_resort_user_id <> '00000000-0000-0000-0000-000000000000';
alter table approvals force row level security;
