import { isRecord } from '@mandate/contract/is-record'

/** Limits for the subschemas that are read, the names that are kept, and their length. Names beyond the limits count as undeclared. */
const maxSchemas = 1000
const maxNames = 500
const maxNameLength = 256

/**
 * Lists the arguments that a tool's input schema declares: the top-level keys of `properties`, also through local `$ref` (`#` and JSON
 * pointers), `allOf`, `anyOf` and `oneOf`. Ignores `patternProperties`. Never throws.
 * @returns null if there is no schema
 */
export function declaredArguments(schema: unknown): ReadonlySet<string> | null {
  if (!isRecord(schema)) return null
  const names = new Set<string>()
  const seen = new Set<object>()
  const open: unknown[] = [schema]
  while (open.length > 0 && seen.size < maxSchemas) {
    const one = open.pop()
    if (!isRecord(one) || seen.has(one)) continue
    seen.add(one)
    if (isRecord(one.properties)) addNames(names, one.properties)
    if (typeof one.$ref === 'string') open.push(pointedAt(schema, one.$ref))
    for (const list of [one.allOf, one.anyOf, one.oneOf]) {
      if (!Array.isArray(list)) continue
      for (const part of list.slice(0, maxSchemas)) open.push(part)
    }
  }
  return names
}

/** Returns the first argument that is not in `declared`, or null. Without a schema (`declared` null), no argument is undeclared. */
export function undeclaredArgument(args: unknown, declared: ReadonlySet<string> | null | undefined): string | null {
  if (!declared || !isRecord(args)) return null
  return Object.keys(args).find((name) => !declared.has(name)) ?? null
}

function addNames(names: Set<string>, properties: Record<string, unknown>): void {
  for (const name of Object.keys(properties)) {
    if (names.size >= maxNames) return
    if (name.length <= maxNameLength) names.add(name)
  }
}

/** Resolves a local reference in the schema. Returns undefined if it points to nothing. */
function pointedAt(schema: unknown, reference: string): unknown {
  if (reference === '#') return schema
  if (!reference.startsWith('#/')) return undefined
  let part = schema
  for (const token of reference.slice(2).split('/')) {
    const key = decoded(token)?.replaceAll('~1', '/').replaceAll('~0', '~')
    if (key === undefined || typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined
    part = (part as Record<string, unknown>)[key]
  }
  return part
}

function decoded(token: string): string | undefined {
  try {
    return decodeURIComponent(token)
  } catch {
    return undefined
  }
}
