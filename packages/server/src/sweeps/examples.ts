import { randomUUID } from 'node:crypto'
import type { OperationId } from '@mandate/contract/endpoints'
import { examples } from '@mandate/contract/examples/examples'
import { ids as exampleIds } from '@mandate/contract/examples/ids'
import type { World } from './world.ts'

type Body = Record<string, unknown>
type Example = (world: World) => Body

/** Values that a body needs besides ids: new values, such as unused addresses, and values of existing rows. */
const inWorld: Partial<Record<OperationId, Example>> = {
  deleteTenant: ({ tenant }) => ({ confirm: tenant.name }),
  inviteUser: () => ({ email: someone() }),
  inviteLearner: () => ({ email: someone() }),
  register: () => ({ email: someone() }),
  signIn: () => ({ email: someone() }),
  forgotPassword: () => ({ email: someone() }),
  createEnvironment: () => ({ slug: `staging-${randomUUID()}` }),
  bindApiKey: ({ tenant }) => ({ environment_id: tenant.production }),
  // The users of a world have no password.
  startTotp: () => ({ password: undefined }),
  requestApproval: () => ({ approval_id: randomUUID() }),
}

/**
 * A well-formed body for every endpoint with a body: the example of the API document, with ids of existing rows. The sweeps fail for an
 * endpoint without an example, so no endpoint is skipped.
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

/** Replaces the ids of an example with ids of the world, at every level. The policies of a world have only version 1. */
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
