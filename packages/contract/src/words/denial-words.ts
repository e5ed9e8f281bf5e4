/** Why the mission profile of an agent denies every call. Later versions may add values. */
export const profileDenials = [
  'archived',
  'suspended',
  'frozen',
  'blocked',
  'retired',
  'not_approved',
  'not_approved_in_production',
  'no_policy',
] as const
export type ProfileDenial = (typeof profileDenials)[number]

/** Why an edge denied a call. Later versions may add values. */
export const denialReasons = [
  // The policy decided.
  'rule',
  'default_effect',
  // No rule matched, because the limit of an `allow` rule was used up, or its uses were not known.
  'limit_used_up',
  'limit_unknown',
  'misleading_tool_name',
  'content',
  // A person decided.
  'rejected',
  // The agent may not act, or its edge may not act for it.
  ...profileDenials,
  'may_not_act',
  'not_served',
  'key_refused',
  'no_profile',
  'not_confirmed',
  // The edge cannot let the call pass.
  'invalid_tool_name',
  'invalid_arguments',
  'delegation',
  'credential_missing',
  'content_rules_unknown',
  'content_key_missing',
  'tool_blocked',
  'tool_not_pinned',
  'tool_definition_changed',
  'tool_definition_unknown',
  'pins_unknown',
  'approval_unusable',
  'approval_unavailable',
  'policy_changed',
] as const
export type DenialReason = (typeof denialReasons)[number]
