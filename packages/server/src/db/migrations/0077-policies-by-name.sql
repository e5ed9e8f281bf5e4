-- Each save of a policy looks for another policy with the same name.
create index policies_by_name on policies (tenant_id, name);
