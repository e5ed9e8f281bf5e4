import type { JsonValue } from '../mcp/messages/json.ts'

/**
 * Replaces `${NAME}`, or `${env:NAME}` as some clients write it, in the texts of a JSON value by the environment variable.
 * Replaces `${NAME:-text}` by the text if the variable is unset or empty. Keys stay unchanged. Calls `missing` for each unset
 * variable that has no default text, and for each variable that only an editor knows, such as `input:token`.
 */
export function expandVariables(
  value: JsonValue,
  env: Readonly<Record<string, string | undefined>>,
  missing: (name: string) => void,
): JsonValue {
  if (typeof value === 'string') {
    return value.replace(variable, (whole, name: string | undefined, fallback?: string, editors?: string) => {
      if (name === undefined) {
        missing(editors ?? '')
        return whole
      }
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

const variable = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{((?:input|config|command):[^}]*)\}/g
