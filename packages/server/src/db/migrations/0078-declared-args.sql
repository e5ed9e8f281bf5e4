-- The names of the arguments that the input schema of a definition declares, so that a reach need not read whole definitions. Null without a schema,
-- and for definitions that were stored before this migration until they are declared again.
alter table tool_definitions add column declared_args jsonb;
