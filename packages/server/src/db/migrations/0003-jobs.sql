-- Jobs are added in the transaction of the change that causes them. The application's role may add jobs through this
-- function alone; the queue's own tables are the owner's, who also runs the worker.
create function enqueue_job(task text, payload json, job_key text default null) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.add_job(task, payload => payload, job_key => job_key);
end $$;
revoke all on function enqueue_job(text, json, text) from public;
grant execute on function enqueue_job(text, json, text) to mandate_app;
