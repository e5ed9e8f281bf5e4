-- Counts how often all sessions of an account were ended. A sign-in whose password was checked before the count went up opens no session.
create table account_epochs (
  account_id text primary key,
  epoch bigint not null default 0
);
grant select, insert, update, delete on account_epochs to mandate_app;

-- A browser counts as known by its cookie and the account, no longer by the address, which may pass to another account. Earlier marks
-- of browsers match nothing any more.
