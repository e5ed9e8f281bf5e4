/**
 * SQL for an entry, a row `e` of audit_entries, as the wire's JSON object (jsonb): what lists show, exports write and
 * seals are taken over. Parts that an entry lacks are left out.
 */
export const entryJson = `(
  jsonb_build_object(
    'id', e.id, 'source', e.source, 'event_type', e.event_type, 'outcome', e.outcome,
    'actor', jsonb_build_object(
      'type', e.actor_type, 'user_id', e.actor_user_id, 'name', e.actor_name, 'email', e.actor_email),
    'resource', jsonb_build_object('type', e.resource_type, 'id', e.resource_id, 'name', e.resource_name),
    'details', e.details, 'request_id', e.request_id, 'ip', e.ip, 'user_agent', e.user_agent,
    'created_at', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  || case when e.api_key_id is null then '{}' else jsonb_build_object('api_key',
      jsonb_build_object('id', e.api_key_id, 'prefix', e.api_key_prefix, 'name', e.api_key_name)) end
  || case when e.agent_id is null then '{}' else jsonb_build_object('agent_id', e.agent_id) end
  || case when e.environment_id is null then '{}' else jsonb_build_object('environment_id', e.environment_id) end
)`

/** As `entryJson`, with the fields that are sealed and not shown in lists. */
export const sealableJson = `(${entryJson} || jsonb_build_object('tenant_id', e.tenant_id, 'category', e.category))`
