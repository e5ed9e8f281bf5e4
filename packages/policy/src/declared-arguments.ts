import { isRecord } from '@mandate/contract/fields/is-record'

/**
 * Maximum number of subschemas that are read, maximum number of names that are kept, and maximum length of a name. A name beyond a limit
 * counts as undeclared.
 */
const maxSchemas = 1000
const maxNames = 500
const maxNameLength = 256

/**
 * Lists the arguments that a tool's input schema declares. These are the top-level keys of `properties`, including those in `allOf`,
 * `anyOf`, `oneOf` and local `$ref` (`#` and JSON pointers). Ignores `patternProperties`. Never throws.
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

/**
 * Returns the first argument that is not in `declared`, or null if all are declared. If `declared` is null, the tool has no schema, and
 * every argument counts as declared.
 */
export function undeclaredArgument(args: unknown, declared: ReadonlySet<string> | null | undefined): string | null {
  if (!declared || !isRecord(args)) return null
  return Object.keys(args).find((name) => !declared.has(name)) ?? null
}

/** Whether a path under `args.`, such as `args.file.path`, begins with a declared argument. */
export function isDeclaredPath(path: string, declared: ReadonlySet<string>): boolean {
  const start = path.indexOf('.') + 1
  const end = path.indexOf('.', start)
  return declared.has(end < 0 ? path.slice(start) : path.slice(start, end))
}

function addNames(names: Set<string>, properties: Record<string, unknown>): void {
  for (const name of Object.keys(properties)) {
    if (names.size >= maxNames) return
    if (name.length <= maxNameLength) names.add(name)
  }
}

/** Resolves a local reference in the schema. Returns undefined if the reference points to nothing. */
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
