import { type Document, type DocumentRule, fieldNames } from '../document/document.ts'

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * The draft on top of a version that another person saved meanwhile. Fields and rules that the draft did not change are those of the other version.
 * If both changed a field or a rule, the draft counts. `base` is the version that the draft was made from.
 */
export function keepDraft(base: Document, theirs: Document, mine: Document): Document {
  const fields = fieldNames.filter((field) => isSame(mine[field], base[field])).map((field) => [field, theirs[field]])
  return { ...mine, ...Object.fromEntries(fields), rules: keepRules(base.rules, theirs.rules, mine.rules) }
}

function keepRules(base: DocumentRule[], theirs: DocumentRule[], mine: DocumentRule[]): DocumentRule[] {
  const find = (rules: DocumentRule[], { id }: DocumentRule) =>
    id === undefined ? undefined : rules.find((rule) => rule.id === id)
  const own = mine.flatMap((rule) => {
    // A rule that a person typed may be no object.
    if (typeof rule !== 'object' || rule === null) return [rule]
    const other = find(theirs, rule)
    if (isSame(rule, find(base, rule))) return other ?? []
    if (other) return rule
    // The other person removed the rule, so it is a new one.
    const { id: _id, ...added } = rule
    return added
  })
  return [...own, ...theirs.filter((rule) => !find(base, rule))]
}
