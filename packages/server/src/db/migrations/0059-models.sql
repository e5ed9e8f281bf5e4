-- How many agents name each model.
create index agents_live_by_model on agents (tenant_id, model) where status <> 'archived' and model <> '';
