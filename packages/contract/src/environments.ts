import { z } from 'zod'
import { viewer } from './access.ts'
import { endpoint } from './endpoint.ts'
import { limit, name, offset, oneOf, page, text, timestamp, uuid } from './fields.ts'
import { governanceModes } from './policies.ts'

export const Environment = z
  .object({
    id: uuid,
    tenant_id: uuid,
    name: z.string(),
    slug: z.string(),
    is_production: z.boolean(),
    governance_mode: oneOf(governanceModes),
    created_at: timestamp,
  })
  .meta({ id: 'Environment' })
export type Environment = z.output<typeof Environment>

export const EnvironmentDeletionPreview = z
  .object({ reports_kept: z.int(), live_share_links: z.int(), reports_listed: z.int() })
  .meta({ id: 'EnvironmentDeletionPreview' })
export type EnvironmentDeletionPreview = z.output<typeof EnvironmentDeletionPreview>

const slug = text().refine((value) => /^[a-z0-9-]{1,63}$/.test(value), {
  error: 'must be 1 to 63 lower-case letters, digits or hyphens',
})

export const NewEnvironment = z.object({
  name: name({ max: 100 }),
  slug,
  is_production: z.boolean().optional(),
  governance_mode: oneOf(governanceModes).optional(),
})
export type NewEnvironment = z.output<typeof NewEnvironment>

export const EnvironmentChange = NewEnvironment.partial()
export type EnvironmentChange = z.output<typeof EnvironmentChange>

const params = z.object({ environment_id: uuid })
const tag = 'Environments'

export const environmentEndpoints = {
  listEnvironments: endpoint({
    method: 'GET',
    path: '/environments',
    tag,
    summary: 'List environments',
    access: viewer,
    query: z.object({ limit: limit(), offset }),
    answers: { 200: page(Environment) },
    errors: [400],
  }),
  createEnvironment: endpoint({
    method: 'POST',
    path: '/environments',
    tag,
    summary: 'Create an environment',
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
    access: viewer,
    params,
    answers: { 200: Environment },
    errors: [400, 404],
  }),
  updateEnvironment: endpoint({
    method: 'PUT',
    path: '/environments/{environment_id}',
    tag,
    summary: 'Change an environment',
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
    access: viewer,
    params,
    answers: { 204: null },
    errors: [400, 403, 404, 409],
  }),
  previewEnvironmentDeletion: endpoint({
    method: 'GET',
    path: '/environments/{environment_id}/deletion-preview',
    tag,
    summary: 'What deleting an environment keeps',
    access: viewer,
    params,
    answers: { 200: EnvironmentDeletionPreview },
    errors: [400, 403, 404],
  }),
}
