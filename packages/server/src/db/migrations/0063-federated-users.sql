-- True if the user can sign in with Google or with the tenant's SAML provider.
alter table users add column federated boolean not null default false;

alter table users no force row level security;

update users u set federated = true
where u.account_id is not null
  and exists (select from identity.federated_links l where l.account_id = u.account_id);

alter table users force row level security;
