import type { Schema } from '@mandate/sdk'
import { effects } from '../../../ui/page/states.ts'
import type { Hunk } from '../../../ui/texts/diff.tsx'
import { type PlaceOf, policyField, policyValue } from '../../../words/policy-fields.ts'
import { capital, counted } from '../../../words/words.ts'
import { type Document, type DocumentRule, fieldNames, textOf } from '../document/document.ts'
import { lastDays, type Replay } from '../document/replay.ts'

type Diff = NonNullable<Schema<'PolicyVersionDetail'>['diff']>

/** What a save did. `agents` is the number of agents that use the policy, as far as the reader sees them. */
export function savedText({ version, agents }: Pick<Schema<'Policy'>, 'version' | 'agents'>, seesAll: boolean): string {
  if (agents > 0) return `Saved version ${version}. It is in force.`
  return `Saved version ${version}. ${seesAll ? 'No agent uses it yet.' : 'No agent that you see uses it yet.'}`
}

export const ruleName = ({ name, priority }: Pick<DocumentRule, 'name' | 'priority'>) => name || `Rule ${priority}`

/** A rule in a sentence: "rule Reads", or "rule 10" without a name. */
const ruleTitle = ({ name, priority }: Pick<DocumentRule, 'name' | 'priority'>) => `rule ${name || priority}`

/** Fields whose values are short enough for a sentence. */
const short = new Set([
  'priority',
  'enabled',
  'effect',
  'default_effect',
  'environment_id',
  'override_mode',
  'dlp_enabled',
  'name',
  'limit',
])

/** "effect was Deny, is Allow". Long values are only said to have changed. */
function fieldChange(field: string, before: unknown, after: unknown, placeOf: PlaceOf): string {
  if (!short.has(field)) return `${policyField(field)} changed`
  const [was, is] = [before, after].map((value) => policyValue(field, value, placeOf))
  // A sentence within the sentence.
  return field === 'override_mode'
    ? `${policyField(field)} was “${was}”, is “${is}”`
    : `${policyField(field)} was ${was}, is ${is}`
}

const withoutId = ({ id: _id, ...rule }: DocumentRule) => textOf(rule)

/** What differs between two documents, words first. `diff` of the server says what each change does to calls. */
export function hunksOf(before: Document, after: Document, placeOf: PlaceOf, diff?: Diff | null): Hunk[] {
  const hunks: Hunk[] = []
  for (const field of fieldNames) {
    if (before[field] === after[field]) continue
    const changeClass = diff?.fields.find((change) => change.field === field)?.change_class
    const title = `Policy: ${fieldChange(field, before[field], after[field], placeOf)}`
    const textOfValue = (document: Document) => policyValue(field, document[field], placeOf)
    hunks.push({ title, changeClass, before: textOfValue(before), after: textOfValue(after) })
  }
  const { added, removed, changed } = diff?.rules ?? { added: [], removed: [], changed: [] }
  const classOf = (id: string | undefined) =>
    [...added, ...removed, ...changed].find((entry) => entry.id === id)?.change_class
  for (const rule of after.rules) {
    const old = before.rules.find(({ id }) => id !== undefined && id === rule.id)
    if (!old) {
      const title = `New ${ruleTitle(rule)}: ${effects[rule.effect]?.word ?? rule.effect}`
      hunks.push({ title, changeClass: classOf(rule.id), before: '', after: withoutId(rule) })
      continue
    }
    const named = new Set([...Object.keys(old), ...Object.keys(rule)]) as Set<keyof DocumentRule>
    const fields = [...named].filter((field) => JSON.stringify(old[field]) !== JSON.stringify(rule[field]))
    if (fields.length === 0) continue
    const title = `${capital(ruleTitle(old))}: ${fields.map((field) => fieldChange(field, old[field], rule[field], placeOf)).join('; ')}`
    hunks.push({ title, changeClass: classOf(rule.id), before: withoutId(old), after: withoutId(rule) })
  }
  for (const rule of before.rules) {
    if (after.rules.some(({ id }) => id === rule.id)) continue
    const title = `Removed ${ruleTitle(rule)}, which was ${effects[rule.effect]?.word ?? rule.effect}`
    hunks.push({ title, changeClass: classOf(rule.id), before: withoutId(rule), after: '' })
  }
  return hunks
}

/** What a save changed, in words. */
export function summaryText({
  fields,
  rules_added,
  rules_removed,
  rules_changed,
}: Schema<'PolicyVersion'>['change_summary']) {
  const parts = [
    rules_added > 0 && counted(rules_added, '# rule added', '# rules added'),
    rules_changed > 0 && counted(rules_changed, '# rule changed', '# rules changed'),
    rules_removed > 0 && counted(rules_removed, '# rule removed', '# rules removed'),
    fields.length > 0 && `${fields.map(policyField).join(', ')} changed`,
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join(', ') : 'Nothing changed'
}

/** Number of recorded calls that a draft would decide in another way, by what would happen to them. */
export function effectOf({ matrix, undecidable }: Replay) {
  return {
    held: matrix.allow.require_approval + matrix.deny.require_approval,
    denied: matrix.allow.deny + matrix.require_approval.deny,
    freed: matrix.deny.allow + matrix.require_approval.allow,
    depends: undecidable,
  }
}

/** What a draft, or a restore, would have done to the calls of the last days, as one sentence. */
export function draftSentence(replay: Replay, what: 'your draft' | 'the restore' = 'your draft'): string {
  const { held, denied, freed, depends } = effectOf(replay)
  const days = lastDays(replay)
  if (replay.change_class === 'neutral') return `${capital(what)} decides every call like the version in force.`
  if (replay.decisions === 0) return `No call of ${days} is recorded to compare with.`
  const parts = [
    held > 0 && `makes ${counted(held, '# call', '# calls')} wait for a person`,
    denied > 0 && `denies ${counted(denied, '# call', '# calls')}`,
    freed > 0 && `allows ${counted(freed, '# more call', '# more calls')}`,
  ].filter((part) => part !== false)
  const unknown = depends > 0 ? counted(depends, '# call depends', '# calls depend') : undefined
  if (parts.length === 0)
    return unknown === undefined
      ? `${capital(what)} decides every call of ${days} as before.`
      : `Of ${days}, ${unknown} on what is not recorded, and the others are decided as before.`
  const said = `Of ${days}, ${what} ${parts.join(', and ')}`
  return unknown === undefined ? `${said}.` : `${said}; ${unknown} on what is not recorded.`
}
