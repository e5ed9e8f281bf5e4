/**
 * A condition on a row `k` of api_keys and the row `u` of users that created it: the key lives. `now` is the parameter of the time.
 * A bound key whose environment is gone does not.
 */
export const keyLives = (
  now: string,
) => `k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now}) and u.status = 'active'
    and (k.environment_id is null or exists (
      select from environments e where e.tenant_id = k.tenant_id and e.id = k.environment_id))`
