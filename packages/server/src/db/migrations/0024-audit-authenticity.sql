-- Each waiting entry carries a MAC by a key that the database does not have. The sealer refuses entries whose MAC does not hold.
-- The server computes the MACs of the entries that wait now in the transaction of this file (`authenticate-waiting.ts`).
alter table audit_unsealed add column mac bytea;

-- Queue rows that the sealer did not seal. It has no tenant's content, like the queue: the sealer reads it for all tenants.
create table audit_refused (
  tenant_id uuid not null,
  entry_id uuid not null,
  reason text not null check (reason in ('entry_missing', 'mac_missing', 'mac_wrong', 'key_unknown')),
  mac bytea,
  refused_at timestamptz(3) not null,
  primary key (tenant_id, entry_id)
);
create index audit_refused_by_key on audit_refused (substring(mac from 1 for 8)) where reason = 'key_unknown';
grant select, insert, delete on audit_refused to mandate_app;

-- Each checkpoint names the one before it, so that a checkpoint cannot be removed unnoticed.
alter table audit_checkpoints add column previous_seq bigint;

-- Heads move forward only, and only to a seal that exists: the application's role has no other way to write them.
revoke insert, update, delete on audit_heads from mandate_app;

create function advance_audit_head(to_seq bigint, to_hash bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  acting_tenant constant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
begin
  insert into public.audit_heads as h (tenant_id, seq, chain_hash)
    select s.tenant_id, s.seq, s.chain_hash from public.audit_seals s
    where s.tenant_id = acting_tenant and s.seq = to_seq and s.chain_hash = to_hash
  on conflict (tenant_id) do update set seq = excluded.seq, chain_hash = excluded.chain_hash where h.seq < excluded.seq;
  if not found then
    raise exception 'the head of an audit trail moves forward only, to a seal' using errcode = 'check_violation';
  end if;
end $$;
revoke execute on function advance_audit_head from public;
grant execute on function advance_audit_head to mandate_app;
