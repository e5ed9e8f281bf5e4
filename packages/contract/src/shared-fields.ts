import { z } from 'zod'
import { text, timestamp, uuid } from './fields.ts'

// Common fields of many schemas, each described once. A schema describes a field itself if it needs more detail.

export const tenantId = uuid.describe('Id of the tenant.')
export const userId = uuid.describe('Id of the user.')
export const environmentId = uuid.describe('Id of the environment.')
export const agentId = uuid.describe('Id of the agent.')
export const policyId = uuid.describe('Id of the policy.')
export const policyVersion = z.int().describe('Number of the policy version: 1 for the first, one more with each save.')
export const createdAt = timestamp.describe('When it was created.')
export const updatedAt = timestamp.describe('When it was last changed.')

/** The environment of an agent, edge or API key, as a part of that resource's schema. */
export const environmentReference = z.object({
  id: environmentId,
  name: z.string().describe('Name of the environment.'),
  slug: z.string().describe('Short name of the environment, unique in the tenant.'),
})

export const pageToken = text({ max: 200 }).describe(
  'The `next_page_token` of the page before. Leave it out for the first page. A token of another list is 400.',
)
export const nextPageToken = z
  .string()
  .describe('Send it as `page_token` to read the next page. Absent on the last page.')
