import { isSecretName } from '@mandate/edge/decide/redact'
import { parsePath, type Source } from '@mandate/policy/path'
import type { Rule, Snapshot } from '@mandate/policy/types'

const reasons: Record<Exclude<Source, 'tool'>, string> = {
  args: 'a record has a digest of the arguments, and not the arguments',
  agent: 'a record does not have the fields of the agent at that time',
  environment: 'a record does not have the fields of the environment at that time',
  session: 'a replay has no sessions, so the condition cannot be decided and fails closed',
  inventory: 'the labels and states of today are used, and not those of the time of the call',
}

/** What records have of the arguments. */
export interface Keeping {
  /** Whether an environment of the policy keeps arguments. */
  isOn: boolean
  /** The paths that the rules of the stored policy read. Edges keep no others. */
  read: ReadonlySet<string>
}

const noKeeping: Keeping = { isOn: false, read: new Set() }

/**
 * Lists what a replay of recorded decisions cannot decide again, or decides in another way than the edge did, and why: one line for each thing that
 * the rules ask about. Empty if the rules ask only about the names of tools.
 */
export function findReplayGaps(
  { rules, dlp_enabled }: Pick<Snapshot, 'rules' | 'dlp_enabled'>,
  keeping: Keeping = noKeeping,
): string[] {
  const asking = new Map<string, { why: string; by: Rule[] }>()
  const note = (what: string, why: string, rule: Rule) => {
    const known = asking.get(what)
    if (!known) asking.set(what, { why, by: [rule] })
    else if (known.by.at(-1) !== rule) known.by.push(rule)
  }
  for (const rule of rules) {
    if (!rule.enabled) continue
    for (const { path } of rule.match.when) {
      const source = parsePath(path)?.source
      if (source === 'args' && keeping.isOn) note(path, whyNotKept(path, keeping), rule)
      else if (source !== undefined && source !== 'tool') note(path, reasons[source], rule)
    }
    if (rule.limit) note('limits', 'a record does not say how often a rule was used before', rule)
  }
  const gaps = [...asking].map(([what, { why, by }]) => `${what} (${namesOf(by)}): ${why}`)
  if (dlp_enabled) gaps.push('content rules: a record does not have the texts that they inspect')
  return gaps
}

function whyNotKept(path: string, { read }: Keeping): string {
  if (path.split('.').some(isSecretName)) return 'it has the name of a secret, so edges never keep its value'
  if (!read.has(path)) return 'the stored policy does not read it, so edges do not keep its value'
  return 'calls whose record does not have the value: no rule of the stored policy read it for their tool, it was redacted or too long, or the environment did not keep arguments then'
}

/** Returns the paths at which rules read arguments. */
export function argumentPaths(rules: readonly Rule[]): Set<string> {
  const conditions = rules.filter(({ enabled }) => enabled).flatMap(({ match }) => match.when)
  return new Set(conditions.map(({ path }) => path).filter((path) => parsePath(path)?.source === 'args'))
}

const mostNamed = 3

function namesOf(rules: readonly Rule[]): string {
  const names = rules.slice(0, mostNamed).map(({ name, priority }) => (name ? `“${name}”` : `priority ${priority}`))
  const more = rules.length > mostNamed ? ` and ${rules.length - mostNamed} more` : ''
  return `${rules.length === 1 ? 'rule' : 'rules'} ${names.join(', ')}${more}`
}
