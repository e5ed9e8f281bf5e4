import type { Schema } from '@mandate/sdk'
import { askedBy } from '../../words/condition-words.ts'

type Condition = Schema<'Condition'>

/** Why the rule looks at each argument, by the name of the argument. */
export function hitsOf(
  conditions: readonly Pick<Condition, 'path' | 'op' | 'value' | 'absent'>[],
): Map<string, string> {
  const hits = new Map<string, string>()
  for (const condition of conditions) {
    const name = /^args\.([^.[]+)/.exec(condition.path)?.[1]
    if (name === undefined) continue
    const before = hits.get(name)
    hits.set(
      name,
      before === undefined ? `the rule asks: ${askedBy(condition)}` : `${before} and ${askedBy(condition)}`,
    )
  }
  return hits
}

/** What Mandate and the edge did with the arguments that an approval shows. */
export function argumentsNote({ arguments_exact: isExact }: Pick<Schema<'Approval'>, 'arguments_exact'>): string {
  if (isExact === null) return 'Mandate has not checked it.'
  return isExact
    ? 'Mandate shows it exactly and has not checked it.'
    : 'Shortened by the edge. Mandate has not checked it.'
}
