-- A session ends at expires_at, however often it is refreshed. After renewal_ended_at it is not refreshed any more, but the current
-- access token stays valid: that is what a new role does.
alter table sessions add column expires_at timestamptz(3) not null default now() + interval '30 days';
update sessions set expires_at = created_at + interval '30 days';
alter table sessions add column renewal_ended_at timestamptz(3);

-- Browsers and networks that an account has signed in from. A mark is a digest of what identifies the device and of the account's address.
create table known_devices (
  mark bytea primary key,
  account_id text not null,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null
);
create index known_devices_by_account on known_devices (account_id, last_seen_at);

-- Tokens that prove, by mail, that a person holds the address of an account. Only digests are stored.
create table mail_proofs (
  token_hash bytea primary key,
  account_id text not null,
  purpose text not null check (purpose in ('verify_email', 'sign_in')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index mail_proofs_by_account on mail_proofs (account_id, purpose);

grant select, insert, update, delete on known_devices, mail_proofs to mandate_app;

-- What a change fails with whose session ended while it was made.
create function refuse_session() returns boolean language plpgsql as $$
begin
  raise exception 'the session has ended' using errcode = 'MK402';
end $$;
