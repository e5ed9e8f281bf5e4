-- What lets the agent list find the few agents of a condition that hardly any of the tenant's agents meet.

-- Every three characters of a name that follow one another, and the one and the two at its end, each behind the tenant's mark: a part
-- of a name is then found among the tenant's own names only, a part of one or two characters as the beginning of a gram.
create function agent_name_grams(tenant_id uuid, name text) returns tsvector language plpgsql immutable parallel safe as $$
declare
  mark constant text := right(tenant_id::text, 8);
  folded constant text := lower(name);
  grams text[] := '{}';
begin
  for at in 1..length(folded) loop
    grams[at] := mark || substr(folded, at, 3);
  end loop;
  return array_to_tsvector(grams);
end $$;

-- What the grams of a name that holds `part` match; those of some other names do too.
create function agent_name_query(tenant_id uuid, part text) returns tsquery language plpgsql immutable strict parallel safe as $$
declare
  folded constant text := lower(part);
  size constant integer := length(folded);
  grams text;
begin
  select string_agg(format('''%s''', replace(replace(gram, '\', '\\'), '''', '''''')), ' & ') into grams
  from generate_series(1, greatest(size - 2, 1)) at
  cross join lateral (select right(tenant_id::text, 8) || substr(folded, at, 3) as gram) g;
  return (case when size < 3 then grams || ':*' else grams end)::tsquery;
end $$;

-- New grams wait in a list that every search reads through; it is kept short.
create index agents_by_name_gram on agents using gin (agent_name_grams(tenant_id, name)) with (gin_pending_list_limit = 512);
-- The search is planned without them, and they are costly to gather.
alter index agents_by_name_gram alter column 1 set statistics 0;

-- Row-level security keeps a condition that is not proven leakproof from being looked up in an index before the tenant is, and none on
-- a part of a name is. So this function looks it up as a role of its own, which may read names and do nothing else. It answers for
-- the tenant that row-level security holds its caller to, and takes no other.
grant usage on schema public to mandate_search;
grant select (tenant_id, id, name) on agents to mandate_search;
create policy name_search on agents for select to mandate_search using (true);

create function agents_named_like(part text, before uuid, at_most integer) returns setof uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  acting_tenant constant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
begin
  -- `offset 0`: by the grams, however few agents the planner believes the tenant to have.
  return query select a.id
    from (select tenant_id, id from public.agents
      where public.agent_name_grams(tenant_id, name) @@ public.agent_name_query(acting_tenant, part) offset 0) a
    where a.tenant_id = acting_tenant and a.id < before
    limit at_most;
end $$;
revoke execute on function agents_named_like from public;
grant execute on function agents_named_like to mandate_app;

-- The owner of a function must be able to make it; once it has it, it may make nothing more.
grant create on schema public to mandate_search;
alter function agents_named_like owner to mandate_search;
revoke create on schema public from mandate_search;

-- What evidence shows, but for its age and for findings: all that the state of coverage is made of and that does not change by itself.
drop index agent_evidence_by_age;
drop index agent_evidence_with_gap;
create index agent_evidence_by_showing on agent_evidence (tenant_id, (
  case
    when mode is null and (actions_seen > 0 or unmediated_seen > 0) is not true then 'unknown'
    when mode <> 'full' or unmediated_seen > 0 or actions_mediated < actions_seen then 'partial'
    when (actions_seen > 0) is not true then 'claimed'
    when mode is null then 'observed'
    else 'covered' end), (greatest(attested_at, window_end)));

-- Agents of which there never was evidence have no row to find them by.
alter table agents add column has_evidence boolean not null default false;
-- An owner that is no superuser is held to a tenant too, and would mark nothing.
alter table agents no force row level security;
alter table agent_evidence no force row level security;
update agents a set has_evidence = true from agent_evidence v where v.tenant_id = a.tenant_id and v.agent_id = a.id;
alter table agents force row level security;
alter table agent_evidence force row level security;
create index agents_without_evidence on agents (tenant_id, id desc) where not has_evidence;
