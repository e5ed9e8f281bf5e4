export const contentSides = ['arguments', 'results'] as const
/** Actions of bindings, the least strict first. */
export const contentActions = ['flag', 'label', 'redact', 'require_approval', 'deny'] as const
export const patternKinds = ['regex', 'words'] as const
/** Names of the checks in code that a match of a built-in pattern must pass, such as a check digit. */
export const checkNames = [
  'base64_text',
  'card',
  'hex_text',
  'hidden_text',
  'iban',
  'jwt',
  'password_in_address',
  'phone',
  'social_security',
] as const
export const builtinGroupNames = ['secrets', 'financial', 'personal', 'injection'] as const
