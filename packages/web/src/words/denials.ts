import type { DenialReason } from '@mandate/contract/words/denial-words'
import type { Schema } from '@mandate/sdk'

type Decision = Pick<Schema<'Decision'>, 'effect' | 'approval_id' | 'rule' | 'policy' | 'denied_because'>

/** Why an edge denied a call: `short` for a list, `clause` after "because". */
export interface Denial {
  short: string
  clause: string
}

/** The rules and the default effect of the policy have words of their own. */
const denials: Record<Exclude<DenialReason, 'rule' | 'default_effect'>, Denial> = {
  misleading_tool_name: {
    short: 'Misleading tool name',
    clause: 'the name of the tool has hidden characters or looks like another name in the rules',
  },
  limit_used_up: { short: 'Limit used up', clause: 'the limit of a rule was used up, and no other rule matched' },
  limit_unknown: {
    short: 'Uses of a rule unknown',
    clause: 'the edge did not know how often a rule with a limit was used, and no other rule matched',
  },
  content: { short: 'Content rules', clause: 'content rules deny its arguments' },
  rejected: { short: 'A person denied it', clause: 'a person denied it' },
  archived: { short: 'Agent archived', clause: 'the agent was archived' },
  suspended: { short: 'Agent suspended', clause: 'the agent was suspended' },
  frozen: { short: 'Agent frozen', clause: 'the agent was frozen' },
  blocked: { short: 'Agent blocked', clause: 'the agent was blocked' },
  retired: { short: 'Agent retired', clause: 'the agent was retired' },
  not_approved: { short: 'Agent not approved', clause: 'the agent was not approved' },
  not_approved_in_production: { short: 'Agent not approved', clause: 'the agent was not approved for production' },
  no_policy: { short: 'Agent without policy', clause: 'the agent had no policy' },
  may_not_act: { short: 'Agent may not act', clause: 'the agent was not allowed to act' },
  not_served: { short: 'Edge not responsible', clause: 'the key of the edge was not valid for the agent' },
  key_refused: { short: 'Edge key refused', clause: 'Mandate refused the key of the edge' },
  no_profile: { short: 'No mission profile', clause: 'the edge had no mission profile of the agent' },
  not_confirmed: {
    short: 'Mission profile expired',
    clause: 'the mission profile expired while the edge could not reach Mandate',
  },
  invalid_tool_name: { short: 'Invalid tool name', clause: 'the name of the tool is not valid' },
  invalid_arguments: { short: 'Invalid arguments', clause: 'its arguments cannot be written as canonical JSON' },
  delegation: { short: 'Outside the delegation', clause: 'the delegation that came with the call does not allow it' },
  credential_missing: {
    short: 'Credential missing',
    clause: 'the edge did not have a valid credential for the tool server',
  },
  content_rules_unknown: {
    short: 'Edge is too old',
    clause: 'the edge is too old for the content rules of the policy',
  },
  content_key_missing: {
    short: 'Content key missing',
    clause: 'the edge could not get the key for the digest of the arguments',
  },
  tool_blocked: { short: 'Tool blocked', clause: 'the tool was blocked' },
  tool_not_pinned: { short: 'Tool not pinned', clause: 'no definition of the tool was pinned' },
  tool_definition_changed: {
    short: 'Tool changed',
    clause: 'the tool server declared another definition of the tool than the pinned one',
  },
  tool_definition_unknown: {
    short: 'Tool definition unknown',
    clause: 'the edge could not get the definition of the tool',
  },
  pins_unknown: { short: 'Pins unknown', clause: 'the edge could not get the pins and blocks of tools' },
  approval_unusable: {
    short: 'Approval not valid',
    clause: 'its approval was not valid any more, or the agent was not allowed to act',
  },
  approval_unavailable: {
    short: 'No answer about approval',
    clause: 'the edge could not ask for an approval or check it',
  },
  policy_changed: { short: 'Policy changed', clause: 'the policy changed while the edge checked the approval' },
}

const byPolicy: ReadonlySet<string> = new Set(['rule', 'default_effect'])
const unknown: Denial = { short: 'Denied by the edge', clause: 'of a reason that this version does not know' }

/** Returns why a call was denied, if the edge says so and the policy alone did not decide. */
export function denialOf({ denied_because: reason }: Pick<Decision, 'denied_because'>): Denial | undefined {
  if (reason === null || byPolicy.has(reason)) return undefined
  return new Map<string, Denial>(Object.entries(denials)).get(reason) ?? unknown
}

/** Returns the stop that ended an approval, as a clause after "because". Undefined if the time was over, or if the end is not known. */
export function stopOf({ ended_because: ended }: Pick<Schema<'Approval'>, 'ended_because'>): string | undefined {
  return ended === null || ended === 'time' ? undefined : denials[ended].clause
}

/** What decided a call, for a list: a person, the rule, the default effect, or why the edge denied it. */
export function deciderOf(decision: Decision): string {
  const denial = denialOf(decision)
  if (denial) return denial.short
  // An edge lets a call with an approval pass only after a person approved it.
  if (decision.effect === 'allow' && decision.approval_id !== null) return 'A person approved it'
  if (decision.rule) return decision.rule.name ?? 'Deleted rule'
  return decision.policy ? 'Default effect' : 'No policy'
}
