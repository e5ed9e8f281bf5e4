import { randomUUID } from 'node:crypto'
import type { OperationId } from '@mandate/contract/endpoints'
import { examples } from '@mandate/contract/examples/examples'
import { ids as exampleIds } from '@mandate/contract/examples/ids'
import type { World } from './world.ts'

type Body = Record<string, unknown>
type Example = (world: World) => Body

/** What a body needs in a world beside the ids: values that nobody has used, and values that a row has. */
const inWorld: Partial<Record<OperationId, Example>> = {
  deleteTenant: ({ tenant }) => ({ confirm: tenant.name }),
  inviteUser: () => ({ email: someone() }),
  inviteLearner: () => ({ email: someone() }),
  register: () => ({ email: someone() }),
  signIn: () => ({ email: someone() }),
  forgotPassword: () => ({ email: someone() }),
  createEnvironment: () => ({ slug: `staging-${randomUUID()}` }),
  bindApiKey: ({ tenant }) => ({ environment_id: tenant.production }),
  // The people of a world have no password.
  startTotp: () => ({ password: undefined }),
  requestApproval: () => ({ approval_id: randomUUID() }),
}

/**
 * A well-formed body for every endpoint that takes one: the example of the API document, with ids of rows that exist. The sweeps
 * fail for an endpoint that has no example, so none goes unswept.
 */
export const exampleBodies: Partial<Record<OperationId, Example>> = Object.fromEntries(
  Object.entries(examples).flatMap(([id, { request }]) =>
    request === undefined ? [] : [[id, (world: World) => bodyOf(id as OperationId, request, world)]],
  ),
)

function bodyOf(id: OperationId, request: unknown, world: World): Body {
  const body = { ...(withRows(request, world) as Body), ...inWorld[id]?.(world) }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

/** The example with the world's rows in place of its ids, at every level. Policies of a world have one version. */
function withRows(example: unknown, { ids }: World): unknown {
  const rows: Record<string, string | undefined> = {
    [exampleIds.agent]: ids.agent_id,
    [exampleIds.development]: ids.environment_id,
    [exampleIds.policy]: ids.policy_id,
    [exampleIds.rule]: ids.rule_id,
    [exampleIds.decision]: randomUUID(),
  }
  const text = JSON.stringify(example, (key, value: unknown) => {
    if (key === 'policy_version') return 1
    return typeof value === 'string' ? (rows[value] ?? value) : value
  })
  return JSON.parse(text)
}

function someone(): string {
  return `someone-${randomUUID()}@example.com`
}
