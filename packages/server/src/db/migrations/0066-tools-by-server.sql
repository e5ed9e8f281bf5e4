-- The tools of one server, in the order of the list. Reports change none of these columns, so only the first report of a tool writes the index.
create index tools_by_server on tools (tenant_id, server, tool, environment_id);
