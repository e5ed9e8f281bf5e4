-- Why an expired approval ended. Null for approvals that are not expired, and for those that earlier versions marked as expired.
alter table approvals add column ended_because text
  check (ended_because in ('time', 'frozen', 'suspended', 'archived', 'blocked', 'retired'));
-- The freeze that ended the approval. There is no foreign key, because a freeze ends many approvals at once.
alter table approvals add column freeze_id uuid;
