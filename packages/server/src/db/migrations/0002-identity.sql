-- Sign-in accounts of the embedded identity provider. An account is nobody's tenant's: these tables are global and carry no row-level security.
create schema if not exists identity;
grant usage on schema identity to mandate_app;

create table identity.accounts (
  id uuid primary key,
  email text not null,
  email_lower text not null unique,
  password_hash text,
  email_verified boolean not null,
  created_at timestamptz(3) not null
);

-- At most one factor in force and one waiting for its first code, per account.
create table identity.totp_factors (
  id uuid primary key,
  account_id uuid not null references identity.accounts (id) on delete cascade,
  secret_sealed text not null,
  created_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  last_used_step bigint
);
create unique index totp_factors_confirmed on identity.totp_factors (account_id) where confirmed_at is not null;
create unique index totp_factors_pending on identity.totp_factors (account_id) where confirmed_at is null;

create table identity.recovery_codes (
  account_id uuid not null references identity.accounts (id) on delete cascade,
  code_hash bytea not null,
  created_at timestamptz(3) not null,
  used_at timestamptz(3),
  primary key (account_id, code_hash)
);

-- No foreign key, and an id that need not be a UUID: the account may live at another identity provider.
create table identity.federated_links (
  issuer text not null,
  subject text not null,
  account_id text not null,
  created_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index federated_links_account on identity.federated_links (account_id);

create table identity.oidc_states (
  state_hash bytea primary key,
  code_verifier text not null,
  nonce text not null,
  redirect_uri text not null,
  expires_at timestamptz(3) not null
);
create index oidc_states_expires on identity.oidc_states (expires_at);

create table identity.saml_requests (
  request_id text primary key,
  tenant_id uuid not null,
  provider_id text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index saml_requests_expires on identity.saml_requests (expires_at);

create table identity.saml_assertions_seen (
  tenant_id uuid not null,
  provider_id text not null,
  assertion_id text not null,
  expires_at timestamptz(3) not null,
  primary key (tenant_id, provider_id, assertion_id)
);
create index saml_assertions_seen_expires on identity.saml_assertions_seen (expires_at);

grant select, insert, update, delete on
  identity.accounts,
  identity.totp_factors,
  identity.recovery_codes,
  identity.federated_links,
  identity.oidc_states,
  identity.saml_requests,
  identity.saml_assertions_seen
to mandate_app;
