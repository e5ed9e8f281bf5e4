/** Reads the patterns of a row of content_bindings_versions, in their order. `$1` is the tenant. */
export const patternsOfSetSql = (set: string) => `(select coalesce(jsonb_agg(r.definition order by h.place), '[]')
  from unnest(${set}.pattern_hashes) with ordinality h (hash, place)
  join content_pattern_revisions r on r.tenant_id = $1 and r.hash = h.hash)`
