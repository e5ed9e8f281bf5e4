import type { JsonValue } from '../mcp/messages/json.ts'

/**
 * The same JSON with `${NAME}` in its texts replaced by environment variables, and `${NAME:-text}` by the text where the variable
 * is not set or empty. Keys stay as they are. `missing` is told of each variable that is not set and has no text.
 */
export function expandVariables(
  value: JsonValue,
  env: Readonly<Record<string, string | undefined>>,
  missing: (name: string) => void,
): JsonValue {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_whole, name: string, fallback?: string) => {
      const found = env[name]
      if (found !== undefined && (found !== '' || fallback === undefined)) return found
      if (fallback === undefined) missing(name)
      return fallback ?? ''
    })
  }
  if (Array.isArray(value)) return value.map((one) => expandVariables(one, env, missing))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expandVariables(one, env, missing)]))
}
