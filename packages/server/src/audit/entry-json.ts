// Text put together by hand: on a page of entries it takes half the time of merging jsonb objects.
const fields = `left(json_build_object(
    'id', e.id, 'source', e.source, 'event_type', e.event_type, 'outcome', e.outcome,
    'actor', json_build_object(
      'type', e.actor_type, 'user_id', e.actor_user_id, 'name', e.actor_name, 'email', e.actor_email),
    'resource', json_build_object('type', e.resource_type, 'id', e.resource_id, 'name', e.resource_name),
    'details', e.details, 'request_id', e.request_id, 'ip', e.ip, 'user_agent', e.user_agent,
    'created_at', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, -1)
  || case when e.api_key_id is null then '' else ',"api_key":' || json_build_object(
      'id', e.api_key_id, 'prefix', e.api_key_prefix, 'name', e.api_key_name)::text end
  || case when e.agent_id is null then '' else ',"agent_id":"' || e.agent_id || '"' end
  || case when e.environment_id is null then '' else ',"environment_id":"' || e.environment_id || '"' end`

const sealedFields = `${fields} || ',"tenant_id":"' || e.tenant_id || '","category":' || to_json(e.category)`

/**
 * SQL for an entry, a row `e` of audit_entries, as the text of the wire's JSON object: what lists show, exports write and
 * seals are taken over. Parts that an entry lacks are left out.
 */
export const entryJson = `(${fields} || '}')`

/** As `entryJson`, with the fields that are sealed and not shown in lists. */
export const sealableJson = `(${sealedFields} || '}')`

/** As `sealableJson`, with the entry's seal, a row `s` of audit_seals. */
export const sealedLine = `(${sealedFields} || ',"seal":' || json_build_object('seq', s.seq,
  'entry_hash', encode(s.entry_hash, 'hex'), 'chain_hash', encode(s.chain_hash, 'hex'))::text || '}')`
