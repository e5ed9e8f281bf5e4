import type { z } from 'zod'
import { isRecord } from '../fields/is-record.ts'

type Issue = z.core.$ZodIssue

/** Makes the schema library stop at the first issue. Without it, a body with 1,000 rules could cause 50,000 issues. */
export const firstIssueOnly = { reportInput: true, abortEarly: true }

/**
 * Finds what a schema refuses in a value, at most `most` issues, in the order of the schema. Looks into objects and lists, and finds one issue for
 * each other part. Parses a part once for each level above it. Check the value with `findExcess` first.
 */
export function findIssues(schema: z.core.$ZodType, value: unknown, most: number): Issue[] {
  const result = (schema as z.ZodType).safeParse(value, firstIssueOnly)
  if (result.success) return []
  const found: Issue[] = []
  for (const [key, part] of partsOf(schema, value)) {
    if (found.length === most) break
    const issues = findIssues(part, (value as Record<PropertyKey, unknown>)[key], most - found.length)
    found.push(...issues.map((issue) => ({ ...issue, path: [key, ...issue.path] })))
  }
  return found.length > 0 ? found : result.error.issues.slice(0, most)
}

/** Returns the keys of the parts that a schema checks by themselves, with their schemas. */
function partsOf(schema: z.core.$ZodType, value: unknown): Iterable<[PropertyKey, z.core.$ZodType]> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'optional' || def.type === 'nullable') return partsOf(def.innerType, value)
  if (def.type === 'object' && isRecord(value)) return Object.entries(def.shape)
  if (def.type === 'array' && Array.isArray(value)) return value.map((_, index) => [index, def.element])
  return []
}
