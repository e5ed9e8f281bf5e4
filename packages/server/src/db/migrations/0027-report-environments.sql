-- Reports stored internal columns of their environment. This keeps the four fields that the interface declares.
alter table reports no force row level security;
update reports
set snapshot = jsonb_set(snapshot, '{environment}', jsonb_build_object(
  'id', snapshot -> 'environment' -> 'id',
  'name', snapshot -> 'environment' -> 'name',
  'slug', snapshot -> 'environment' -> 'slug',
  'is_production', snapshot -> 'environment' -> 'is_production'))
where jsonb_typeof(snapshot -> 'environment') = 'object';
alter table reports force row level security;
