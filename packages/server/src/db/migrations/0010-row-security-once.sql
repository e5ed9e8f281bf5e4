-- A sub-select made each statement prepare a plan of its own for every table it reads. Statements name their tenant, so the planner
-- compares the setting with that once a scan, not once a row.
do $$
declare
  p record;
  setting constant text := $q$nullif(current_setting('app.tenant_id', true), '')::uuid$q$;
begin
  for p in
    select polname as name, polrelid::regclass as of, polqual is not null as reads, polwithcheck is not null as writes,
      case when polrelid = 'tenants'::regclass then 'id' else 'tenant_id' end as key
    from pg_policy where polname in ('own_tenant', 'own_tenant_read', 'own_tenant_append')
  loop
    execute format('alter policy %I on %s', p.name, p.of)
      || case when p.reads then format(' using (%I = %s)', p.key, setting) else '' end
      || case when p.writes then format(' with check (%I = %s)', p.key, setting) else '' end;
  end loop;
end $$;

-- What a change made through an API key fails with when the key was revoked while it was made.
create function refuse_key() returns boolean language plpgsql as $$
begin
  raise exception 'the API key was revoked' using errcode = 'MK401';
end $$;
