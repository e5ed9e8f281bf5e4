import { z } from 'zod'
import { include } from '../fields/include.ts'
import { includeTexts } from '../fields/shared-fields.ts'
import type { Endpoint } from './endpoint.ts'

/** Kinds of objects that have a name and that other objects refer to by id. */
export const namedKinds = ['agent', 'edge', 'environment', 'platform', 'policy', 'report', 'rule', 'user'] as const
export type NamedKind = (typeof namedKinds)[number]

/** Fields of responses that contain the id of another object, with the kind of that object. */
export const referenceFields: Readonly<Record<string, NamedKind>> = {
  agent_id: 'agent',
  edge_id: 'edge',
  environment_id: 'environment',
  new_environment_id: 'environment',
  old_environment_id: 'environment',
  platform_id: 'platform',
  policy_id: 'policy',
  report_id: 'report',
  rule_id: 'rule',
  // A grant: its resource is always an agent.
  resource_id: 'agent',
  accepted_by: 'user',
  approved_by: 'user',
  created_by: 'user',
  ended_by: 'user',
  generated_by: 'user',
  lifted_by: 'user',
  owner_user_id: 'user',
  requested_by: 'user',
  resolved_by: 'user',
  subject_user_id: 'user',
  user_id: 'user',
}

/** Fields of responses that contain another object as `{id, …}`, with the kind of that object. */
export const referenceObjects: Readonly<Record<string, NamedKind>> = {
  agent: 'agent',
  approved_policy: 'policy',
  edge: 'edge',
  environment: 'environment',
  policy: 'policy',
  rule: 'rule',
  running_policy: 'policy',
}

/** The query parameter `include` of a read whose only additional part is `names`. */
export const includeNames = include(['names'], includeTexts.names)

/** The query parameter `include` of an endpoint whose additional parts are `may` and `names`. */
export const includeMayNames = include(['may', 'names'], `${includeTexts.may} ${includeTexts.names}`)

/** The field `names` of a response. The server adds it to the response of every operation for which `offersNames` is true. */
export const names = z
  .record(z.string(), z.string())
  .optional()
  .describe(
    'Names of the users, agents, policies, rules, environments and edges whose id is in the response, by id. An object that was deleted, or that the caller cannot see, is left out. A removed user has the name that the audit trail has. Only with `include=names`.',
  )

/** True if the query parameter `include` of the endpoint accepts `names`. */
export function offersNames({ query }: Pick<Endpoint, 'query'>): boolean {
  const parameter = query?.shape.include
  return parameter !== undefined && z.safeParse(parameter as z.ZodType, 'names').success
}
