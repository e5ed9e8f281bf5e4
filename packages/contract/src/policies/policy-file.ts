import { z } from 'zod'
import { uuid } from '../fields/fields.ts'
import { RuleLimit } from '../fields/rule-limit.ts'
import { Condition, NewRule, PolicyDocument } from './policies.ts'

const { name, description, override_mode, default_effect, dlp_enabled } = PolicyDocument.shape
const { tools, when } = NewRule.shape.match.shape

/** A rule in a policy file. */
export const FileRule = z.strictObject({
  ...NewRule.shape,
  match: z
    .strictObject({
      tools,
      when: z
        .array(Condition.strict())
        .optional()
        .describe(when.description ?? ''),
    })
    .describe(NewRule.shape.match.description ?? ''),
  limit: RuleLimit.strict()
    .nullable()
    .optional()
    .describe(NewRule.shape.limit.description ?? ''),
  id: uuid.optional().describe('Id of the rule. A push writes it.'),
})

/**
 * The schema of a policy file. Unknown fields are errors, because a misspelled `when` would otherwise remove the conditions of
 * a rule.
 */
export const PolicyFileContent = z.strictObject({
  id: uuid.optional().describe('Id of the policy at the control plane. `mandate policies push` writes this field.'),
  version: z
    .int()
    .min(1)
    .optional()
    .describe('The policy version that the file is based on. `mandate policies push` writes this field.'),
  name,
  description: description.default(''),
  environment: z
    .string()
    .min(1)
    .nullable()
    .describe('Slug of the environment. Null: the policy is for every environment.'),
  override_mode: override_mode.default('inherit'),
  default_effect: default_effect.default('deny'),
  dlp_enabled: dlp_enabled.default(false),
  rules: z
    .array(FileRule)
    .describe('Rules of the policy, in any order. `priority` decides which rule is tested first.'),
})

/** The schema of policy files as JSON Schema, for editors. */
export function policyFileSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(PolicyFileContent, { io: 'input', unrepresentable: 'any' })
  return { title: 'Mandate policy file', ...schema }
}
