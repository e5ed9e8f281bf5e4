import { z } from 'zod'
import { viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { limit, offset, page, timestamp } from './fields/fields.ts'

export const Model = z
  .object({
    model: z
      .string()
      .describe('Name of the model: `model` of agents, and what follows the provider in `model:<provider>/<model>`.'),
    agents: z.int().describe('Number of agents that declare or use the model. Archived agents are left out.'),
    declared: z
      .int()
      .describe(
        'Number of agents whose record names it, as `<model>` or `<provider>/<model>`. Archived agents are left out.',
      ),
    observed: z
      .int()
      .describe(
        'Number of agents with a counted call of a `model:` tool of this name in the last 30 days. Archived agents are left out. One request reads a bounded number of counts, so a large number may be a minimum.',
      ),
    calls_30d: z
      .int()
      .describe(
        'Number of these calls in the last 30 days. For a user with scoped access and a bound key, those of the agents that they see, and a large number may be a minimum.',
      ),
    first_seen_at: timestamp
      .nullable()
      .describe('Start of the UTC day of the first counted call. Null if no call was counted.'),
    last_seen_at: timestamp
      .nullable()
      .describe('Start of the UTC day of the last counted call. Null if no call was counted.'),
  })
  .meta({ id: 'Model', description: 'A model that agents declare or use.' })
export type Model = z.output<typeof Model>

export const modelEndpoints = {
  listModels: endpoint({
    method: 'GET',
    path: '/models',
    tag: 'Models',
    summary: 'List the models that agents declare or use',
    description:
      'Sorted by name. A model that is used and not declared, or declared and not used, has a zero in the other number. A scoped user gets the agents that they see, and a key that is bound to an environment those of that environment.',
    access: viewer,
    query: z.object({ limit: limit(), offset }),
    answers: { 200: page(Model) },
    errors: [400],
  }),
}
