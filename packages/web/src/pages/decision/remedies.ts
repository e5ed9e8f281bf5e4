import type { DenialReason } from '@mandate/contract/words/denial-words'

/** What has to change so that a call passes which an edge denied for this reason. The rules and the default effect have their own words. */
const remedies: Record<Exclude<DenialReason, 'rule' | 'default_effect' | 'rejected'>, string> = {
  misleading_tool_name: 'The agent must call the tool by a name without hidden characters or letters that look alike.',
  limit_used_up: 'The limit must have uses left again, or the rule must get a higher limit.',
  limit_unknown: 'The edge must be able to count the uses of the rule again.',
  content: 'The arguments must not contain what the content rules deny.',
  archived: 'Another agent must make the call. An archived agent stays stopped.',
  suspended: 'Someone must resume the agent.',
  frozen: 'A manager or an owner must lift the freeze. Only an owner lifts a freeze of the whole organization.',
  blocked: 'A review or an owner must approve the agent.',
  retired: 'A review or an owner must approve the agent again.',
  not_approved: 'A review or an owner must approve the agent.',
  not_approved_in_production: 'A review or an owner must approve the agent for production.',
  no_policy: 'Someone must assign a policy to the agent.',
  may_not_act: 'The agent must be active and approved.',
  not_served: 'The call must go through an edge of the environment of the agent.',
  key_refused: 'The edge needs a key that Mandate accepts.',
  no_profile: 'The edge must reach Mandate and get the mission profile of the agent.',
  not_confirmed: 'The edge must reach Mandate again.',
  invalid_tool_name: 'The tool needs a valid name.',
  invalid_arguments: 'The agent must send arguments that every JSON parser reads in the same way.',
  delegation: 'The delegation must allow the call.',
  credential_missing: 'The edge needs a valid credential for the tool server.',
  content_rules_unknown: 'The edge needs a newer version.',
  content_key_missing: 'The edge must reach Mandate again.',
  tool_blocked: 'Someone must unblock the tool.',
  tool_not_pinned: 'Someone must review the definition of the tool and pin it.',
  tool_definition_changed: 'Someone must review the new definition of the tool and pin it.',
  tool_definition_unknown: 'The tool server must declare the tool.',
  pins_unknown: 'The edge must reach Mandate again.',
  approval_unusable: 'The agent must call again, so that a person is asked again.',
  approval_unavailable: 'The edge must reach Mandate again, so that a person can be asked.',
  policy_changed: 'The agent must call again. The edge then decides by the new policy.',
}

/** Undefined for a reason that this version does not know. */
export const remedyOf = (reason: string): string | undefined =>
  Object.hasOwn(remedies, reason) ? remedies[reason as keyof typeof remedies] : undefined
