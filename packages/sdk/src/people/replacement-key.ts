import type { Input, Schema } from '../operation.ts'

type Replaced = Pick<Schema<'ApiKey'>, 'name' | 'scopes' | 'environment_id' | 'created_at' | 'expires_at'>

const secondMs = 1000

/**
 * Returns the body of `createApiKey` for a key that replaces `key`: with its name, scopes, environment and lifetime. The lifetime starts
 * at `nowMs`. It is rounded up to a second, so that it does not shrink with each rotation: a client computes `expires_at` some
 * milliseconds before the server stores `created_at`.
 */
export function replacementKey(key: Replaced, nowMs: number): Input<'createApiKey'>['body'] {
  const { name, scopes, environment_id, created_at, expires_at } = key
  const lifetimeMs = (end: string) => Math.ceil((Date.parse(end) - Date.parse(created_at)) / secondMs) * secondMs
  return {
    name,
    scopes,
    ...(environment_id !== undefined && { environment_id }),
    ...(expires_at !== undefined && { expires_at: new Date(nowMs + lifetimeMs(expires_at)).toISOString() }),
  }
}
