import { z } from 'zod'
import { text, timestamp, uuid } from './fields.ts'
import { include } from './include.ts'

// Common fields of many schemas, each described once. A schema describes a field itself if it needs more detail.

export const tenantId = uuid.describe('Id of the tenant.')
export const userId = uuid.describe('Id of the user.')
export const environmentId = uuid.describe('Id of the environment.')
export const agentId = uuid.describe('Id of the agent.')
export const policyId = uuid.describe('Id of the policy.')
export const policyVersion = z.int().describe('Number of the policy version: 1 for the first, one more with each save.')
export const createdAt = timestamp.describe('When it was created.')
export const updatedAt = timestamp.describe('When it was last changed.')

/** What the parts of `include` mean. An endpoint with several parts joins their texts. */
export const includeTexts = {
  may: '`may` adds what the caller may do, in `may` and `may_not`.',
  names: '`names` adds the name of each object that the response refers to by id.',
  seats:
    '`seats` adds the seats of the tenant and `saml_configured`. Only API keys need it: other callers always get them.',
  activity: '`activity` adds the decisions of each agent by hour.',
}

/** The query parameter `include` of an endpoint whose only additional part is `may`. */
export const includeMay = include(['may'], includeTexts.may)

/** The fields that `include=may` adds to a row. */
export const mayFields = {
  may: z
    .array(z.string())
    .optional()
    .describe(
      'Actions that the caller may take now. Present with `include=may`. An action is the id of an operation in this document, or `operation:variant` for a value with a rule of its own, such as `inviteUser:owner`.',
    ),
  may_not: z
    .record(z.string(), z.string())
    .optional()
    .describe('The other actions, each with the error text that the caller would get. Present with `include=may`.'),
}

/** The environment of an agent, edge or API key, as a part of that resource's schema. */
export const environmentReference = z.object({
  id: environmentId,
  name: z.string().describe('Name of the environment.'),
  slug: z.string().describe('Short name of the environment, unique in the tenant.'),
})

/** A token has the last row's place in the order of the list, such as a name of 200 characters of four bytes each. */
export const pageToken = text({ max: 4000 }).describe(
  'The `next_page_token` of the page before. Leave it out for the first page. A token of another list is 400.',
)
export const nextPageToken = z
  .string()
  .describe('Send it as `page_token` to read the next page. Absent on the last page.')
