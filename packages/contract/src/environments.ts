import { z } from 'zod'
import { viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { limit, name, offset, oneOf, page, text } from './fields/fields.ts'
import { createdAt, environmentId, includeMay, mayFields, tenantId } from './fields/shared-fields.ts'
import { governanceModes } from './words/policy-words.ts'
import { toolPinnings } from './words/tool-words.ts'

const pinningText =
  'What edges do about tools of MCP servers whose definition is not pinned. `off`: nothing. `alert`: a changed definition opens a finding. `enforce`: edges also deny the calls of tools without a pin, and of tools whose definition is not pinned.'

const keepingText =
  'Whether the values of arguments that conditions of policies read are kept with the decisions, without secrets, so that a replay can decide the calls again. If it is false, kept values are not shown any more, and are deleted within a day.'

export const Environment = z
  .object({
    id: environmentId,
    tenant_id: tenantId,
    name: z.string().describe('Name of the environment, at most 100 characters.'),
    slug: z
      .string()
      .describe(
        'Short name for rules and scripts: 1 to 63 lower-case letters, digits or hyphens. Unique in the tenant.',
      ),
    is_production: z
      .boolean()
      .describe('True for a production environment. It cannot be deleted, and owners decide on its agents.'),
    governance_mode: oneOf(governanceModes).describe(
      'Mode for policies with the override mode `inherit`. `monitor` records decisions and stops nothing.',
    ),
    tool_pinning: oneOf(toolPinnings).describe(pinningText),
    keep_arguments_for_replay: z.boolean().describe(keepingText),
    created_at: createdAt,
    ...mayFields,
  })
  .meta({ id: 'Environment', description: 'A part of a tenant, such as Production.' })
export type Environment = z.output<typeof Environment>

export const EnvironmentDeletionPreview = z
  .object({
    reports_kept: z
      .int()
      .describe('Number of compliance reports that the deletion keeps as reports of the organization.'),
    live_share_links: z.int().describe('Number of share links that keep working until they expire or are revoked.'),
    reports_listed: z
      .int()
      .describe('Number of those reports that are in the list of reports. Deleted ones are not counted.'),
    api_keys: z
      .int()
      .describe('Number of API keys bound to the environment that the deletion revokes. 10,000 means 10,000 or more.'),
    agents: z
      .int()
      .describe(
        'Number of agents in the environment that are not archived. The environment cannot be deleted before all of them are archived. 10,000 means 10,000 or more.',
      ),
  })
  .meta({
    id: 'EnvironmentDeletionPreview',
    description: 'What stays when an environment is deleted, what it revokes, and what prevents it.',
  })
export type EnvironmentDeletionPreview = z.output<typeof EnvironmentDeletionPreview>

const slug = text().refine((value) => /^[a-z0-9-]{1,63}$/.test(value), {
  error: 'must be 1 to 63 lower-case letters, digits or hyphens',
})

export const NewEnvironment = z.object({
  name: name({ max: 100 }).describe('Name of the environment, trimmed, 1 to 100 characters.'),
  slug: slug.describe(
    'Short name: 1 to 63 lower-case letters, digits or hyphens. Another environment of the tenant with this slug makes it 409.',
  ),
  is_production: z.boolean().optional().describe('True makes it a production environment. False if it is left out.'),
  governance_mode: oneOf(governanceModes)
    .optional()
    .describe('Mode for policies with the override mode `inherit`. `enforce` if it is left out.'),
  tool_pinning: oneOf(toolPinnings).optional().describe(`${pinningText} \`alert\` if it is left out.`),
  keep_arguments_for_replay: z.boolean().optional().describe(`${keepingText} False if it is left out.`),
})
export type NewEnvironment = z.output<typeof NewEnvironment>

export const EnvironmentChange = NewEnvironment.partial()
export type EnvironmentChange = z.output<typeof EnvironmentChange>

const params = z.object({ environment_id: environmentId })
const tag = 'Environments'

export const environmentEndpoints = {
  listEnvironments: endpoint({
    method: 'GET',
    path: '/environments',
    tag,
    summary: 'List environments',
    description:
      'A scoped user gets the environments that they have access to. A key bound to an environment gets only that one.',
    access: viewer,
    query: z.object({ limit: limit(), offset, include: includeMay }),
    answers: { 200: page(Environment) },
    errors: [400],
  }),
  createEnvironment: endpoint({
    method: 'POST',
    path: '/environments',
    tag,
    summary: 'Create an environment',
    description: 'For managers and owners with the access scope `all`.',
    access: viewer,
    body: NewEnvironment,
    answers: { 201: Environment },
    errors: [400, 403, 409],
  }),
  getEnvironment: endpoint({
    method: 'GET',
    path: '/environments/{environment_id}',
    tag,
    summary: 'Read an environment',
    description: '404 for an environment that the caller has no access to.',
    access: viewer,
    params,
    query: z.object({ include: includeMay }),
    answers: { 200: Environment },
    errors: [400, 404],
  }),
  updateEnvironment: endpoint({
    method: 'PUT',
    path: '/environments/{environment_id}',
    tag,
    summary: 'Change an environment',
    description: 'For managers and owners with the access scope `all`. A field that is left out stays unchanged.',
    access: viewer,
    params,
    body: EnvironmentChange,
    answers: { 200: Environment },
    errors: [400, 403, 404, 409],
  }),
  deleteEnvironment: endpoint({
    method: 'DELETE',
    path: '/environments/{environment_id}',
    tag,
    summary: 'Delete an environment',
    description:
      'Only for owners. 400 for a production environment, 409 while it has policies or agents that are not archived. Keys bound to it and its edge keys are revoked. Reports stay as reports of the organization.',
    access: viewer,
    params,
    answers: { 204: null },
    errors: [400, 403, 404, 409],
  }),
  previewEnvironmentDeletion: endpoint({
    method: 'GET',
    path: '/environments/{environment_id}/deletion-preview',
    tag,
    summary: 'Preview the deletion of an environment',
    description: 'Only for owners. Reading changes nothing. 400 for a production environment, as for its deletion.',
    access: viewer,
    params,
    answers: { 200: EnvironmentDeletionPreview },
    errors: [400, 403, 404],
  }),
}
