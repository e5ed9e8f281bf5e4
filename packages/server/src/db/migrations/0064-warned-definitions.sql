-- The warnings of the latest definitions of many tools. Most definitions have none, so the index is small.
create index tool_definitions_warned on tool_definitions (tenant_id, tool_id, hash) where warnings <> '[]';
