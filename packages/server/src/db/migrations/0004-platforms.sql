-- An agent of a platform is known by its source and its id there: reconnecting, or connecting twice, doubles none.
create unique index agents_by_external_id on agents (tenant_id, source, external_id) where external_id is not null;
