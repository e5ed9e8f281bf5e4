-- A federated sign-in that begins stores nothing: its state is signed. Only one that a provider has confirmed is remembered, so that it
-- serves once. identity.oidc_states and identity.saml_requests stay while older processes run.
create table identity.spent_attempts (
  token text primary key,
  expires_at timestamptz(3) not null
);
create index spent_attempts_expires on identity.spent_attempts (expires_at);
grant select, insert, delete on identity.spent_attempts to mandate_app;
