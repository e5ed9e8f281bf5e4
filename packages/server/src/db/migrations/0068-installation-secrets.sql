-- Fingerprints of the secrets that the instances of this installation use. An instance with another secret does not start.
create table installation_secrets (
  name text primary key,
  fingerprint text not null,
  changed_at timestamptz(3) not null default now()
);
