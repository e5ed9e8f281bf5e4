import type { Rule, Snapshot } from '../types.ts'
import { type ChangeClass, classifyWithin, proofBudget } from './classify-change.ts'
import { diffSnapshots, type FieldChange, type RuleChange, type SnapshotDiff } from './diff.ts'

/** `loosens` is also the class of a change that is not proven to be one of the others. */
export type EntryClass = Exclude<ChangeClass, 'mixed'>
type Classified<T> = T & { change_class: EntryClass }

export interface ClassifiedDiff {
  fields: Classified<FieldChange>[]
  rules: { added: Classified<Rule>[]; removed: Classified<Rule>[]; changed: Classified<RuleChange>[] }
}

/**
 * Maximum number of pairs of rules that the proofs of one diff compare, about 100 ms. An entry after this number gets only the class
 * that follows from the entry itself.
 */
const mostPairs = 500_000

/**
 * Compares two versions of a policy like `diffSnapshots`, and says of each entry what it does to the calls. `tightens`: no call gets a
 * less strict effect. `neutral`: no call gets another effect. Otherwise `loosens`.
 * The entries are applied one after the other: fields, added rules, changed rules, removed rules. The class of an entry compares the
 * policy right before and right after the entry. So if no entry loosens, the new version as a whole decides no call less strictly.
 */
export function classifyDiff(previous: Snapshot | null, next: Snapshot): ClassifiedDiff | null {
  const diff = diffSnapshots(previous, next)
  return previous === null || diff === null ? null : classifyEntries(previous, next, diff)
}

function classifyEntries(previous: Snapshot, next: Snapshot, { fields, rules }: SnapshotDiff): ClassifiedDiff {
  const step = proofsFrom(previous)
  const nextRules = new Map(next.rules.map((rule) => [rule.id, rule]))
  return {
    fields: fields.map((change) => {
      const applied = (current: Snapshot) => ({ ...current, [change.field]: change.to })
      return { ...change, change_class: step(applied, wordsOnly.has(change.field) ? 'neutral' : 'loosens') }
    }),
    rules: {
      added: rules.added.map((rule) => {
        const applied = (current: Snapshot) => ({ ...current, rules: [...current.rules, rule] })
        return { ...rule, change_class: step(applied, rule.effect === 'deny' ? 'tightens' : 'loosens') }
      }),
      changed: rules.changed.map((change) => {
        const edited = ({ rules: all }: Snapshot) =>
          all.map((rule) => (rule.id === change.id ? (nextRules.get(rule.id) ?? rule) : rule))
        const isWords = change.fields.every(({ field }) => wordsOnly.has(field))
        const applied = (current: Snapshot) => ({ ...current, rules: edited(current) })
        return { ...change, change_class: step(applied, isWords ? 'neutral' : 'loosens') }
      }),
      removed: rules.removed.map((rule) => {
        const applied = (current: Snapshot) => ({ ...current, rules: current.rules.filter(({ id }) => id !== rule.id) })
        return { ...rule, change_class: step(applied, rule.effect === 'allow' ? 'tightens' : 'loosens') }
      }),
    },
  }
}

/** Fields of policies and rules that decide no call. */
const wordsOnly: ReadonlySet<string> = new Set(['name', 'description', 'reason'])

/**
 * Returns a function that applies an entry to the policy so far, and classifies the change. `unproven` is the class that follows from
 * the entry itself. It is used when the work for proofs is spent: a rule that denies never lets a call pass, for example.
 */
function proofsFrom(previous: Snapshot): (apply: (current: Snapshot) => Snapshot, unproven: EntryClass) => EntryClass {
  const budget = { left: proofBudget }
  let pairs = 0
  let current = previous
  return (apply, unproven) => {
    const before = current
    current = apply(before)
    pairs += (before.rules.length + 1) * (current.rules.length + 1)
    if (pairs > mostPairs) return unproven
    const proven = classifyWithin(before, current, budget)
    return proven === 'mixed' ? unproven : proven
  }
}
