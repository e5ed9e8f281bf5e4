-- How many mails went to an address, and from a tenant, in an hour and in a day. A subject is the SHA-256 of the kind of
-- mail and of the address or the tenant: the table names nobody.
create table mail_counts (
  subject bytea not null,
  period text not null check (period in ('hour', 'day')),
  starts_at timestamptz(3) not null,
  sent integer not null default 0 check (sent >= 0),
  withheld integer not null default 0 check (withheld >= 0),
  primary key (subject, period, starts_at)
);
create index mail_counts_by_start on mail_counts (starts_at);
grant select, insert, update, delete on mail_counts to mandate_app;
