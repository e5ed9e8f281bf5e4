import { classifyChange } from '@mandate/policy/changes/classify-change'
import { diffSnapshots, type FieldChange } from '@mandate/policy/changes/diff'
import { limitText } from '@mandate/policy/limit'
import type { Condition, Rule, RuleLimit, Snapshot } from '@mandate/policy/types'
import { styled } from '../output/note.ts'
import { printable } from '../output/printable.ts'

const effectsOfChange = {
  tightens: 'It tightens the policy: no call gets a less strict effect than before.',
  loosens: 'It loosens the policy: no call gets a stricter effect than before.',
  mixed: 'It may loosen the policy: some calls may get a less strict effect than before.',
  neutral: 'It changes no decision.',
} as const

/** Describes the difference between two snapshots, as lines for a terminal. Empty if they are equal. */
export function renderDiff(from: Snapshot, to: Snapshot, nameOf: (environmentId: string) => string): string[] {
  const diff = diffSnapshots(from, to)!
  const { added, removed, changed } = diff.rules
  if (diff.fields.length + added.length + removed.length + changed.length === 0) return []
  const title = new Map(from.rules.map((rule) => [rule.id, titleOf(rule)]))
  const named = (change: FieldChange): FieldChange =>
    change.field === 'environment_id'
      ? { field: 'environment', from: environmentText(change.from, nameOf), to: environmentText(change.to, nameOf) }
      : change
  return [
    ...diff.fields.map(named).flatMap((change) => changeLines(change, '')),
    ...removed.flatMap((rule) => ruleLines(rule, '-')),
    ...added.flatMap((rule) => ruleLines(rule, '+')),
    ...changed.flatMap(({ id, fields }) => [
      styled('yellow', `~ rule ${title.get(id)}`),
      ...fields.flatMap((change) => changeLines(change, '    ')),
    ]),
    effectsOfChange[classifyChange(from, to)],
  ]
}

/** Describes a new policy, as lines for a terminal. */
export function renderNew(
  { default_effect, override_mode, dlp_enabled, rules }: Snapshot,
  environment: string | null,
): string[] {
  const fields = { environment: environment ?? 'every', default_effect, override_mode, dlp_enabled }
  return [
    ...Object.entries(fields).map(([field, value]) => styled('green', `+ ${field}: ${value}`)),
    ...rules.flatMap((rule) => ruleLines(rule, '+')),
  ]
}

function environmentText(id: unknown, nameOf: (id: string) => string): unknown {
  return typeof id === 'string' ? nameOf(id) : id
}

function titleOf({ name, priority }: Rule): string {
  return `${name === '' ? '(no name)' : `“${printable(name)}”`} at priority ${priority}`
}

function ruleLines(rule: Rule, sign: '+' | '-'): string[] {
  const color = sign === '+' ? 'green' : 'red'
  const off = rule.enabled ? '' : ', disabled'
  return [
    `${sign} rule ${titleOf(rule)}: ${rule.effect}${rule.limit ? ` ${limitText(rule.limit)}` : ''}${off}`,
    ...rule.match.tools.map((tool) => `${sign}   ${printable(tool)}`),
    ...rule.match.when.map((condition) => `${sign}   when ${conditionText(condition)}`),
    ...(rule.reason ? [`${sign}   because ${printable(rule.reason)}`] : []),
  ].map((line) => styled(color, line))
}

function changeLines({ field, from, to }: FieldChange, indent: string): string[] {
  if (field === 'limit') {
    const [before, after] = [from, to].map((limit) => (limit ? limitText(limit as RuleLimit) : 'none'))
    return [`${indent}limit: ${styled('red', before!)} → ${styled('green', after!)}`]
  }
  if (field !== 'match') {
    return [`${indent}${field}: ${styled('red', valueText(from))} → ${styled('green', valueText(to))}`]
  }
  const [before, after] = [matchLines(from as Rule['match']), matchLines(to as Rule['match'])]
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => styled('red', `${indent}- ${line}`)),
    ...after.filter((line) => !before.includes(line)).map((line) => styled('green', `${indent}+ ${line}`)),
  ]
}

function matchLines({ tools, when }: Rule['match']): string[] {
  return [...tools.map(printable), ...when.map((condition) => `when ${conditionText(condition)}`)]
}

function conditionText({ path, op, value, absent }: Condition): string {
  return `${printable(path)} ${op} ${valueText(value)}${absent === undefined ? '' : `, absent: ${absent}`}`
}

function valueText(value: unknown): string {
  return printable(JSON.stringify(value) ?? '-')
}
