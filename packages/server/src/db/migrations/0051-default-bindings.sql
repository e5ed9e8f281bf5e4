-- Policies that have data-loss prevention on get the bindings that a policy gets when it is turned on: secrets are redacted in results, and
-- need an approval in arguments. The hash is the SHA-256 of the canonical JSON of
-- {bindings, patterns, version}, where `patterns` has the hashes of the patterns.
alter table policies no force row level security;
alter table content_bindings_versions no force row level security;

insert into content_bindings_versions (tenant_id, policy_id, version, bindings, pattern_hashes, content_hash, saved_by, saved_at)
select p.tenant_id, p.id, 1, d.bindings::jsonb, '{}',
  encode(sha256(convert_to('{"bindings":' || d.bindings || ',"patterns":[],"version":1}', 'UTF8')), 'hex'),
  '{"user_id": null, "display_name": "system", "email": ""}'::jsonb, date_trunc('milliseconds', now())
from policies p
cross join (values (
  '[{"action":"redact","group":"secrets","on":"results"},{"action":"require_approval","group":"secrets","on":"arguments"}]'
)) as d (bindings)
where p.dlp_enabled;

update policies p set bindings_version = v.version, bindings_hash = v.content_hash
from content_bindings_versions v
where v.tenant_id = p.tenant_id and v.policy_id = p.id;

alter table content_bindings_versions force row level security;
alter table policies force row level security;
