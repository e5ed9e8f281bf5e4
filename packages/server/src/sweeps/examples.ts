import { randomUUID } from 'node:crypto'
import type { OperationId } from '@mandate/contract/endpoints'
import { examples } from '@mandate/contract/examples/examples'
import { ids as exampleIds } from '@mandate/contract/examples/ids'
import type { World } from './world.ts'

type Body = Record<string, unknown>
type Example = (world: World) => Body

/**
 * Values that request bodies need besides ids. Some are new, such as unused addresses. Others must exist in the test data.
 */
const inWorld: Partial<Record<OperationId, Example>> = {
  deleteTenant: ({ tenant }) => ({ confirm: tenant.name }),
  inviteUser: () => ({ email: someone() }),
  inviteLearner: () => ({ email: someone() }),
  register: () => ({ email: someone() }),
  signIn: () => ({ email: someone() }),
  forgotPassword: () => ({ email: someone() }),
  createEnvironment: () => ({ slug: `staging-${randomUUID()}` }),
  createPolicy: () => ({ name: randomUUID() }),
  bindApiKey: ({ tenant }) => ({ environment_id: tenant.production }),
  // The users in the test data have no password.
  startTotp: () => ({ password: undefined }),
  requestApproval: () => ({ approval_id: randomUUID() }),
  resolveReview: ({ ids }) => ({ policy: { policy_id: ids.policy_id, version: 1 } }),
  createDelegation: () => ({ expires_at: inHours(2) }),
  delegateOn: ({ ids }) => ({ parent: ids.delegation_id, agent_id: ids.other_agent_id, expires_at: inHours(1) }),
}

/**
 * Returns a well-formed body for every endpoint that has a body: the example of the API document, with ids that exist in the
 * test data. The tests fail if an endpoint has no example, so no endpoint is skipped.
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

/**
 * Replaces the ids in an example by ids of the test data, at every level. Policies in the test data have only version 1.
 */
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

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

function someone(): string {
  return `someone-${randomUUID()}@example.com`
}
