-- Says whether a backend of the caller's login runs a statement. A transaction that was left open for seconds on a dead connection is
-- ended, because it would keep its locks. The application's role may not see or end backends of the login by itself.
create function is_backend_busy(backend int) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_terminate_backend(pid) from pg_stat_activity
    where pid = backend and usename = session_user and datname = current_database()
      and state like 'idle in transaction%' and state_change < clock_timestamp() - interval '3 seconds';
  return exists (select from pg_stat_activity
    where pid = backend and usename = session_user and datname = current_database() and state = 'active');
end $$;
revoke all on function is_backend_busy(int) from public;
grant execute on function is_backend_busy(int) to mandate_app;
