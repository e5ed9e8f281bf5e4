-- What a change fails with that was begun on what was last known of its caller and its place, when these are no longer so.
create function refuse_stale() returns boolean language plpgsql as $$
begin
  raise exception 'what the change relied on has changed' using errcode = 'MK409';
end $$;
