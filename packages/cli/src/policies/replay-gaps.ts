import { parsePath, type Source } from '@mandate/policy/path'
import type { Rule, Snapshot } from '@mandate/policy/types'

const reasons: Record<Exclude<Source, 'tool'>, string> = {
  args: 'a record has a digest of the arguments, and not the arguments',
  agent: 'a record does not have the fields of the agent at that time',
  environment: 'a record does not have the fields of the environment at that time',
  session: 'a replay has no sessions, so the condition cannot be decided and fails closed',
  inventory: 'the labels and states of today are used, and not those of the time of the call',
}

/**
 * Lists what a replay of recorded decisions cannot decide again, or decides in another way than the edge did, and why: one line for each thing that
 * the rules ask about. Empty if the rules ask only about the names of tools.
 */
export function findReplayGaps({ rules, dlp_enabled }: Pick<Snapshot, 'rules' | 'dlp_enabled'>): string[] {
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
      if (source !== undefined && source !== 'tool') note(path, reasons[source], rule)
    }
    if (rule.limit) note('limits', 'a record does not say how often a rule was used before', rule)
  }
  const gaps = [...asking].map(([what, { why, by }]) => `${what} (${namesOf(by)}): ${why}`)
  if (dlp_enabled) gaps.push('content rules: a record does not have the texts that they inspect')
  return gaps
}

const mostNamed = 3

function namesOf(rules: readonly Rule[]): string {
  const names = rules.slice(0, mostNamed).map(({ name, priority }) => (name ? `“${name}”` : `priority ${priority}`))
  const more = rules.length > mostNamed ? ` and ${rules.length - mostNamed} more` : ''
  return `${rules.length === 1 ? 'rule' : 'rules'} ${names.join(', ')}${more}`
}
