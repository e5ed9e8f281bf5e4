-- Users who see what their role sees, and cannot make changes.
alter table users add column read_only boolean not null default false;
