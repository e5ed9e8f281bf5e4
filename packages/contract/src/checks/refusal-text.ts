import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/**
 * Describes the first validation issue in one sentence that starts with the field's name.
 * @param issues from `safeParse(…, { reportInput: true })`
 */
export function describeIssue(issues: readonly Issue[], root: string): string {
  const issue = issues[0]
  if (!issue) return `${root} is invalid`
  const field = fieldName(issue.path, root)
  if (issue.input === undefined && issue.path.length > 0) return `${field} is required`
  if (issue.code === 'invalid_type') return `${field} ${typeText(issue)}`
  if (issue.code === 'unrecognized_keys') return `${field} has an unknown field`
  if (issue.code === 'invalid_union') return `${field} is invalid`
  if (issue.message.startsWith('must')) return `${field} ${issue.message}`
  if (issue.code === 'too_big') return `${field} ${boundText('most', issue.maximum, issue)}`
  if (issue.code === 'too_small') return `${field} ${boundText('least', issue.minimum, issue)}`
  return `${field} ${issue.message.startsWith('is ') ? issue.message : 'is invalid'}`
}

function boundText(
  end: 'most' | 'least',
  bound: number | bigint,
  { origin, inclusive }: Extract<Issue, { code: 'too_big' | 'too_small' }>,
): string {
  const part = { array: 'item', string: 'character' }[origin as string]
  if (part) return `must have at ${end} ${bound} ${part}${Number(bound) === 1 ? '' : 's'}`
  if (inclusive === false) return `must be ${end === 'most' ? 'below' : 'above'} ${bound}`
  return `must be at ${end} ${bound}`
}

function typeText(issue: Extract<Issue, { code: 'invalid_type' }>): string {
  const kinds: Record<string, string> = {
    string: 'a string',
    number: 'a number',
    int: 'an integer',
    boolean: 'a boolean',
    array: 'an array',
    object: 'an object',
    record: 'an object',
  }
  return `must be ${kinds[issue.expected] ?? issue.expected}`
}

/** Formats a path of keys and indexes, such as `rules[0].match.tools[1]`. */
export function fieldName(path: readonly PropertyKey[], root: string): string {
  if (path.length === 0) return root
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, '')
}
