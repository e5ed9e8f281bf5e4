-- Decisions that can be listed, counted and proved. They move from the table `decisions` to `decision_records`. The old table stays, because the
-- previous version writes to it. A later version drops it. The copy at the end reads every recorded decision once.

alter table tenants add column decision_retention_days integer not null default 90
  check (decision_retention_days in (30, 90, 400, 800));
-- Retention that the tenant had before. Decisions that arrived then are still kept under it.
alter table tenants add column earlier_retention_days integer[] not null default '{}';

-- One row a decision. `filed_at` is the time in `decision_id` if that is a UUIDv7, otherwise `received_at`. A partition holds the decisions of
-- one retention and one day of `filed_at`, and is dropped whole. `details` are as sent. `result_details` replace some of them after a record that
-- describes the result of the decision arrived. `result_of` is set on records that only describe the result of another decision.
-- The columns from `kid` on belong to signed records. `batch_signature` is set on the last record of a batch. `sent_record` is the signed record as it was sent, if the other columns do not reproduce it.
create table decision_records (
  tenant_id uuid not null,
  decision_id uuid not null,
  retention_days integer not null,
  filed_at timestamptz(3) not null,
  at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  agent_id uuid not null,
  environment_id uuid,
  edge_id uuid,
  tool text not null,
  effect text not null check (effect in ('allow', 'deny', 'require_approval')),
  mode text not null check (mode in ('enforce', 'monitor')),
  rule_id uuid,
  policy_id uuid,
  policy_version integer,
  policy_hash text,
  args_digest text not null,
  approval_id uuid,
  session_id text,
  on_behalf_of text,
  duration_us bigint,
  details jsonb,
  result_details jsonb,
  result_of uuid,
  kid text,
  seq bigint,
  prev_hash bytea,
  record_hash bytea,
  record_digest bytea,
  batch_signature text,
  sent_record text,
  primary key (tenant_id, decision_id, retention_days, filed_at)
) partition by range (retention_days, filed_at);
create index decision_records_by_time on decision_records (tenant_id, at desc, decision_id desc) where result_of is null;
create index decision_records_by_agent on decision_records (tenant_id, agent_id, at desc, decision_id desc) where result_of is null;
create index decision_records_by_session on decision_records (tenant_id, session_id, at desc, decision_id desc)
  where session_id is not null and result_of is null;
create index decision_records_stopped on decision_records (tenant_id, effect, at desc, decision_id desc)
  where effect <> 'allow' and result_of is null;
create index decision_records_by_key on decision_records (tenant_id, kid, seq) where kid is not null;

-- Finds duplicates of decisions whose id is not a UUIDv7. Their partition depends on when they arrive, so the key of decision_records does not.
create table decision_ids (
  tenant_id uuid not null,
  decision_id uuid not null,
  retention_days integer not null,
  filed_at timestamptz(3) not null,
  primary key (tenant_id, decision_id)
);
create index decision_ids_by_time on decision_ids (tenant_id, filed_at);

-- What records with `result_of` showed whose first record has not arrived. A row moves into `result_details` when the first record arrives.
-- `place` is the place in the batch.
create table decision_waiting_results (
  tenant_id uuid not null,
  result_of uuid not null,
  decision_id uuid not null,
  retention_days integer not null,
  received_at timestamptz(3) not null,
  place integer not null,
  agent_id uuid not null,
  edge_id uuid,
  kid text,
  details jsonb not null,
  primary key (tenant_id, result_of, decision_id)
);
create index decision_waiting_results_by_time on decision_waiting_results (tenant_id, received_at);

-- Which partitions hold decisions of a tenant, and from when to when these were made (rounded to whole hours).
create table decision_spans (
  tenant_id uuid not null,
  retention_days integer not null,
  day timestamptz(3) not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  primary key (tenant_id, retention_days, day)
);

-- What counted decisions have in common. `id` is computed from the other columns.
create table decision_kinds (
  tenant_id uuid not null,
  id uuid not null,
  environment_id uuid,
  policy_id uuid,
  policy_version integer,
  rule_id uuid,
  tool text not null,
  effect text not null check (effect in ('allow', 'deny', 'require_approval')),
  mode text not null check (mode in ('enforce', 'monitor')),
  primary key (tenant_id, id)
);
create index decision_kinds_by_policy on decision_kinds (tenant_id, policy_id);

-- Names of tools that were counted, and how many new names and kinds a day brought.
create table decision_tools (
  tenant_id uuid not null,
  tool text not null,
  primary key (tenant_id, tool)
);
create table decision_new_names (
  tenant_id uuid not null,
  day timestamptz(3) not null,
  tools integer not null,
  kinds integer not null,
  primary key (tenant_id, day)
);

-- Counts by minute, hour and day. A subject is an agent (then `edge_id` says which edge sent the decisions, all zeros for an agent key), an edge, or
-- one of sixteen ids that stand for the whole tenant. Eight of these have calls by kind, eight only by environment, effect and mode. There are eight,
-- so that many edges of a tenant do not wait for one row.
create table decision_minutes (
  tenant_id uuid not null,
  subject_id uuid not null,
  bucket timestamptz(3) not null,
  kind_id uuid not null,
  edge_id uuid not null,
  calls bigint not null,
  primary key (tenant_id, subject_id, bucket, kind_id, edge_id)
) partition by range (bucket);
create table decision_hours (like decision_minutes including all) partition by range (bucket);
create table decision_days (like decision_minutes including all) partition by range (bucket);
-- Which agents made calls of a kind.
create index decision_days_by_kind on decision_days (tenant_id, kind_id, bucket, subject_id);

-- Calls of each agent on a day, to find the busiest agents. `magnitude` is the number of binary digits of `calls`. The index has only the magnitude,
-- because it changes rarely, so most updates need no change of an index. An agent without an environment has all zeros.
create table decision_agent_days (
  tenant_id uuid not null,
  bucket timestamptz(3) not null,
  agent_id uuid not null,
  environment_id uuid not null,
  calls bigint not null,
  magnitude integer not null,
  primary key (tenant_id, agent_id, bucket)
) partition by range (bucket);
create index decision_agent_days_by_magnitude on decision_agent_days (tenant_id, environment_id, bucket, magnitude desc, agent_id);

-- Keys with which edges sign decisions. The head is the last record that arrived in the chain of a key. It is below `highest_seq` after a fork.
-- Records from `broken_from` on come after a gap or a fork. `used_at` is the time of the last registration or batch.
create table edge_keys (
  tenant_id uuid not null,
  kid text not null,
  credential_id uuid not null,
  edge_id uuid,
  agent_id uuid,
  public_key_pem text not null,
  attestation text not null,
  created_at timestamptz(3) not null,
  used_at timestamptz(3) not null,
  head_seq bigint not null default 0,
  head_hash bytea not null default '\x0000000000000000000000000000000000000000000000000000000000000000',
  highest_seq bigint not null default 0,
  broken_from bigint,
  anchored_day timestamptz(3),
  anchored_hash bytea not null default '\x0000000000000000000000000000000000000000000000000000000000000000',
  primary key (tenant_id, kid)
) with (fillfactor = 70);
create index edge_keys_by_credential on edge_keys (tenant_id, credential_id, created_at);

-- Hashes of a chain that the audit trail holds.
create table decision_anchors (
  tenant_id uuid not null,
  kid text not null,
  seq bigint not null,
  hash bytea not null,
  day timestamptz(3) not null,
  entry_id uuid not null,
  primary key (tenant_id, kid, seq, hash)
);

-- Records that a chain lacks (`gap`), or numbers that two different records have (`fork`). `agent_id` is the agent with the finding. It is null if no
-- agent is known. The first missing record must have `first_prev`, and the last one `last_hash`. A fork has neither.
create table decision_gaps (
  tenant_id uuid not null,
  kid text not null,
  from_seq bigint not null,
  to_seq bigint not null,
  kind text not null check (kind in ('gap', 'fork')),
  agent_id uuid,
  first_prev bytea,
  last_hash bytea,
  opened_at timestamptz(3) not null,
  primary key (tenant_id, kid, from_seq, kind)
);
create index decision_gaps_by_agent on decision_gaps (tenant_id, agent_id, opened_at);

-- Records of a chain that were not stored as decisions, because they were refused or had expired. Only their hashes stay.
create table decision_links (
  tenant_id uuid not null,
  kid text not null,
  seq bigint not null,
  record_hash bytea not null,
  prev_hash bytea not null,
  record_digest bytea not null,
  batch_signature text,
  received_at timestamptz(3) not null,
  primary key (tenant_id, kid, seq, record_hash)
);
create index decision_links_by_time on decision_links (tenant_id, received_at);

-- Adds a partition: for decision_records with a retention, for counts without. `lower` and `upper` may be null for no limit.
-- Attaching a table takes a weaker lock on the parent than creating it as a partition. The functions for partitions use UTC, because names, days
-- and months depend on the time zone of the session.
create function add_partition(parent text, suffix text, retention integer, lower timestamptz, upper timestamptz) returns void
language plpgsql set timezone = 'UTC' as $$
declare
  name constant text := parent || '_' || suffix;
  first constant text := coalesce(quote_literal(lower), 'minvalue');
  last constant text := coalesce(quote_literal(upper), 'maxvalue');
begin
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I (like %I including defaults including constraints)', name, parent);
  execute format('alter table %I enable row level security, force row level security', name);
  execute format('create policy own_tenant on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', name);
  if retention is null then
    execute format('alter table %I set (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.05)', name);
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, name, first, last);
  else
    execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_insert_threshold = 20000)', name);
    execute format('alter table %I attach partition %I for values from (%s, %s) to (%s, %s)', parent, name, retention, first, retention, last);
  end if;
end $$;
revoke execute on function add_partition from public;

-- The start of the newest partition whose name is `prefix` and a date, or `today` if it is later or there is none.
create function newest_partition(prefix text, format text, today timestamptz) returns timestamptz language sql stable set timezone = 'UTC' as $$
  select least(today, coalesce(max(to_timestamp(right(relname, length(format)), format)), today)) from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'r' and relname ~ ('^' || prefix || '[0-9]{' || length(format) || '}$')
$$;
revoke execute on function newest_partition from public;

-- Adds the partitions that are missing up to a week after `today`, the start of a day in UTC, also for days on which no server ran. The first
-- call also adds partitions for all earlier times.
create function add_partitions(today timestamptz) returns void language plpgsql set timezone = 'UTC' as $$
declare
  retention integer;
  counts text;
  day timestamptz;
  prefix text;
  is_first constant boolean := to_regclass('decision_hours_past') is null and newest_partition('decision_hours_', 'YYYYMMDD', today) = today
    and to_regclass('decision_hours_' || to_char(today, 'YYYYMMDD')) is null;
begin
  foreach retention in array array[30, 90, 400, 800] loop
    prefix := retention || '_';
    if is_first then perform add_partition('decision_records', prefix || 'past', retention, null, today); end if;
    for day in select generate_series(greatest(newest_partition('decision_records_' || prefix, 'YYYYMMDD', today), today - make_interval(days => retention)), today + interval '7 days', interval '1 day') loop
      perform add_partition('decision_records', prefix || to_char(day, 'YYYYMMDD'), retention, day, day + interval '1 day');
    end loop;
  end loop;
  foreach counts in array array['decision_minutes', 'decision_hours'] loop
    if is_first then perform add_partition(counts, 'past', null, null, today); end if;
    for day in select generate_series(greatest(newest_partition(counts || '_', 'YYYYMMDD', today), today - interval '35 days'), today + interval '7 days', interval '1 day') loop
      perform add_partition(counts, to_char(day, 'YYYYMMDD'), null, day, day + interval '1 day');
    end loop;
  end loop;
  foreach counts in array array['decision_days', 'decision_agent_days'] loop
    if is_first then perform add_partition(counts, 'past', null, null, date_trunc('month', today)); end if;
    for day in select generate_series(date_trunc('month', newest_partition(counts || '_', 'YYYYMM', today)), date_trunc('month', today) + interval '1 month',
      interval '1 month') loop
      perform add_partition(counts, to_char(day, 'YYYYMM'), null, day, day + interval '1 month');
    end loop;
  end loop;
end $$;
revoke execute on function add_partitions from public;

do $$
declare
  t text;
begin
  foreach t in array array['decision_records', 'decision_ids', 'decision_waiting_results', 'decision_spans', 'decision_kinds', 'decision_tools', 'decision_new_names',
    'decision_minutes', 'decision_hours', 'decision_days', 'decision_agent_days', 'edge_keys', 'decision_anchors', 'decision_gaps', 'decision_links'] loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format('create policy own_tenant on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)', t);
    execute format('grant select, insert, update, delete on %I to mandate_app', t);
  end loop;
end $$;

select add_partitions(date_trunc('day', now()));

-- The copy of recorded decisions. The edge that sent them is not known.
alter table decisions no force row level security;
alter table agents no force row level security;
alter table decision_records no force row level security;
alter table decision_ids no force row level security;
alter table decision_spans no force row level security;
alter table decision_kinds no force row level security;
alter table decision_tools no force row level security;
alter table decision_hours no force row level security;
alter table decision_days no force row level security;
alter table decision_agent_days no force row level security;

create temporary table copied on commit drop as
with filed as (
  select d.*, a.environment_id, case when substr(d.decision_id::text, 15, 1) = '7'
    then to_timestamp(('x' || lpad(replace(left(d.decision_id::text, 13), '-', ''), 16, '0'))::bit(64)::bigint / 1000.0)::timestamptz(3) end as id_time
  from decisions d join agents a on a.tenant_id = d.tenant_id and a.id = d.agent_id)
select tenant_id, decision_id, coalesce(id_time, received_at) as filed_at, id_time is null as has_no_time, at, received_at, agent_id,
  environment_id, tool, effect, mode, rule_id, policy_version, args_digest,
  encode(substr(sha256(convert_to(concat_ws('|', coalesce(environment_id::text, ''), '', coalesce(policy_version::text, ''),
    coalesce(rule_id::text, ''), effect, mode, tool), 'UTF8')), 1, 16), 'hex')::uuid as kind_id,
  encode(substr(sha256(convert_to(concat_ws('|', coalesce(environment_id::text, ''), '', '', '', effect, mode, ''), 'UTF8')), 1, 16), 'hex')::uuid
    as total_kind_id
from filed
where coalesce(id_time, received_at) between now() - interval '90 days' and now() + interval '1 day'
  and at between now() - interval '90 days' and now() + interval '1 day';

insert into decision_records (tenant_id, decision_id, retention_days, filed_at, at, received_at, agent_id, environment_id, tool, effect, mode, rule_id,
  policy_version, args_digest)
select tenant_id, decision_id, 90, filed_at, at, received_at, agent_id, environment_id, tool, effect, mode, rule_id, policy_version, args_digest
from copied;
insert into decision_ids (tenant_id, decision_id, retention_days, filed_at)
select tenant_id, decision_id, 90, filed_at from copied where has_no_time;
insert into decision_spans (tenant_id, retention_days, day, first_at, last_at)
select tenant_id, 90, date_trunc('day', filed_at), date_trunc('hour', min(at)), date_trunc('hour', max(at)) + interval '1 hour'
from copied group by 1, 3;
insert into decision_kinds (tenant_id, id, environment_id, policy_version, rule_id, tool, effect, mode)
select distinct tenant_id, kind_id, environment_id, policy_version, rule_id, tool, effect, mode from copied;
insert into decision_kinds (tenant_id, id, environment_id, tool, effect, mode)
select distinct tenant_id, total_kind_id, environment_id, '', effect, mode from copied;
insert into decision_tools (tenant_id, tool) select distinct tenant_id, tool from copied;
insert into decision_hours (tenant_id, subject_id, bucket, kind_id, edge_id, calls)
select c.tenant_id, s.id, date_trunc('hour', c.at), s.kind_id, '00000000-0000-0000-0000-000000000000', count(*)
from copied c cross join lateral (values (c.agent_id, c.kind_id), ('00000000-0000-0000-0000-000000000000'::uuid, c.kind_id),
  ('00000000-0000-0000-0000-000000000008'::uuid, c.total_kind_id)) s (id, kind_id)
where c.at >= now() - interval '35 days' group by 1, 2, 3, 4;
insert into decision_days (tenant_id, subject_id, bucket, kind_id, edge_id, calls)
select c.tenant_id, s.id, date_trunc('day', c.at), s.kind_id, '00000000-0000-0000-0000-000000000000', count(*)
from copied c cross join lateral (values (c.agent_id, c.kind_id), ('00000000-0000-0000-0000-000000000000'::uuid, c.kind_id),
  ('00000000-0000-0000-0000-000000000008'::uuid, c.total_kind_id)) s (id, kind_id)
group by 1, 2, 3, 4;
insert into decision_agent_days (tenant_id, bucket, agent_id, environment_id, calls, magnitude)
select tenant_id, date_trunc('day', at), agent_id, coalesce(environment_id, '00000000-0000-0000-0000-000000000000'), count(*),
  length(ltrim(count(*)::bit(32)::text, '0'))
from copied group by 1, 2, 3, 4;
delete from decisions;

alter table decisions force row level security;
alter table agents force row level security;
alter table decision_records force row level security;
alter table decision_ids force row level security;
alter table decision_spans force row level security;
alter table decision_kinds force row level security;
alter table decision_tools force row level security;
alter table decision_hours force row level security;
alter table decision_days force row level security;
alter table decision_agent_days force row level security;
