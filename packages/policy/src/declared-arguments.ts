/** The most subschemas that are read, and the most names and longest name that are kept. What is beyond counts as undeclared. */
const maxSchemas = 1000
const maxNames = 500
const maxNameLength = 256

/**
 * The arguments that a tool's input schema names: the keys of `properties` at its top level, also through local `$ref`
 * (`#` and JSON pointers), `allOf`, `anyOf` and `oneOf`. Patterns name nothing. Null where there is no schema. Never throws.
 */
export function declaredArguments(schema: unknown): ReadonlySet<string> | null {
  if (!isObject(schema)) return null
  const names = new Set<string>()
  const seen = new Set<object>()
  const open: unknown[] = [schema]
  while (open.length > 0 && seen.size < maxSchemas) {
    const one = open.pop()
    if (!isObject(one) || seen.has(one)) continue
    seen.add(one)
    if (isObject(one.properties)) addNames(names, one.properties)
    if (typeof one.$ref === 'string') open.push(pointedAt(schema, one.$ref))
    for (const list of [one.allOf, one.anyOf, one.oneOf]) {
      if (!Array.isArray(list)) continue
      for (const part of list.slice(0, maxSchemas)) open.push(part)
    }
  }
  return names
}

/** The first argument that `declared` does not name; null where it names all. Without a schema (null) nothing is undeclared. */
export function undeclaredArgument(args: unknown, declared: ReadonlySet<string> | null | undefined): string | null {
  if (!declared || !isObject(args)) return null
  return Object.keys(args).find((name) => !declared.has(name)) ?? null
}

function addNames(names: Set<string>, properties: Record<string, unknown>): void {
  for (const name of Object.keys(properties)) {
    if (names.size >= maxNames) return
    if (name.length <= maxNameLength) names.add(name)
  }
}

/** The part of the schema that a local reference names, or undefined. */
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
