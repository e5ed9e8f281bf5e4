import type { Condition, Operator, Rule } from '../types.ts'
import type { PolicyWarning } from './find-dead-rules.ts'

const comparesText: Record<Operator, boolean> = {
  eq: true,
  ne: true,
  in: true,
  not_in: true,
  contains: true,
  not_contains: true,
  starts_with: true,
  not_starts_with: true,
  under: false,
  not_under: false,
  exists: false,
  gt: false,
  lt: false,
  gte: false,
  lte: false,
  has: false,
  has_not: false,
}
const pathStart = /^(?:[/~]|\.{1,2}\/|file:|[A-Za-z]:(?:[\\/]|$))/i
const otherUrl = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i
const pathNames: ReadonlySet<string> = new Set(
  'path paths pathname file files filename filenames filepath filepaths folder folders dir dirs directory directories uri uris root roots cwd'.split(
    ' ',
  ),
)

/**
 * Warns about conditions that compare a file path as plain text, because another spelling of the path bypasses such a condition. The rules
 * must be valid.
 */
export function findTextPaths(rules: readonly Rule[]): PolicyWarning[] {
  return rules.flatMap((rule, index) =>
    (rule.match.when ?? []).flatMap((condition, place) => {
      const value = comparedPath(condition)
      if (value === null) return []
      const path = `rules[${index}].match.when[${place}]`
      const message = messageOf(rule, condition, value)
      return [rule.id === undefined ? { path, message } : { rule_id: rule.id, path, message }]
    }),
  )
}

function messageOf({ name }: Rule, { path, op }: Condition, value: string): string {
  const better = /^(?:ne|not_.*)$/.test(op) ? 'not_under' : 'under'
  const subject = name ? `rule ${JSON.stringify(name)}` : 'the rule'
  const shown = JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value)
  return `${subject} compares ${path} with the path ${shown} as text (${op}), so another spelling of that path bypasses it: use ${better}`
}

/** Returns the first value of the condition that looks like a path, or null. */
function comparedPath({ path, op, value }: Condition): string | null {
  if (!comparesText[op] || !path.startsWith('args.')) return null
  const isNamed = wordsOf(path).some((word) => pathNames.has(word))
  const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
  return texts.find((text) => pathStart.test(text) || (isNamed && text.includes('/') && !otherUrl.test(text))) ?? null
}

function wordsOf(path: string): string[] {
  return path
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
}
