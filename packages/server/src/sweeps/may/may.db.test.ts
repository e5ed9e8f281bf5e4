// May take over 10 s: asks each verb of each resource as several callers, to compare `include=may` with its answer.
import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { endpoints, type OperationId } from '@mandate/contract/endpoints'
import { beforeAll, describe, expect, it } from 'vitest'
import { operationOf } from '../../authz/may.ts'
import type { ApiAnswer } from '../../testing/api-client.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { fingerprint } from '../fingerprint.ts'
import { expectRolledBack, rollBackChanges, wouldSucceed } from '../roll-back-changes.ts'
import { isPartOfSweep, sweptEndpoints } from '../swept-endpoints.ts'
import { type Caller, createFullScene, createLonelyScene, createTwoOwnersScene, type Scene } from './may-scene.ts'
import { bodies, type Row, type SceneName, type Subject, subjects } from './may-subjects.ts'

const server = useOwnServer()
const scenes = {} as Record<SceneName, Scene>

beforeAll(async () => {
  scenes['users of every role'] = await createFullScene(server)
  scenes['one user'] = await createLonelyScene(server)
  scenes['two owners'] = await createTwoOwnersScene(server)
  await rollBackChanges(server)
})

const swept = new Set(sweptEndpoints.map(([id]) => id))
const seenActions = new Set<string>()
const counts = { may: 0, mayNot: 0 }

const ownSignIn = 'concerns only the sign-in of the caller, who sees in the answer what is wrong'
/** Operations by people and keys that change data and that no subject has as an action. */
const noAction: Partial<Record<OperationId, string>> = {
  signOut: ownSignIn,
  revokeSession: ownSignIn,
  changePassword: ownSignIn,
  verifyEmail: ownSignIn,
  requestVerification: ownSignIn,
  startTotp: ownSignIn,
  confirmTotp: ownSignIn,
}

/** Refusals of actions in `may` that depend on other rows. `GET /environments/{id}/deletion-preview` counts the rows of an environment. */
const dependsOnOthers: Record<string, RegExp> = {
  deleteEnvironment: /^the environment still has /,
  deleteContentPattern: /^policies bind this pattern or its group: /,
}

describe.each(Object.keys(subjects))('include=may of %s', (name) => {
  const subject = subjects[name] as Subject

  const { scenes: compared = ['users of every role'] as const } = subject
  it.each(compared)('says what the server then answers: two callers for each answer, %s', async (scene) => {
    const actions = new Set<string>()
    const callers = new Map<string, number>()
    await compareAll(scenes[scene], subject, (action, said, row) => {
      actions.add(actionsOf(row).join())
      const answer = `${action} ${said}`
      const before = callers.get(answer) ?? 0
      callers.set(answer, before + 1)
      return before < 2
    })
    expect([...actions], 'every row has the same actions').toHaveLength(1)
  })

  const long = { tags: ['long' as const], timeout: 300_000 }
  it.each(compared)('says what the server then answers: every caller, %s', long, (scene) =>
    compareAll(scenes[scene], subject, () => true),
  )

  it('a request without include=may has neither field', async () => {
    const { tenant } = scenes['users of every role']
    const { body } = await tenant.owner.api.get(subject.lists[0] as string)
    expect(JSON.stringify(body)).not.toContain('"may')
  })
})

/** Reads the rows that the caller sees. The single row says the same as the list. */
async function readRows(caller: Caller, { lists, single, rowsIn = ({ data }) => data }: Subject): Promise<Row[]> {
  const rows: Row[] = []
  for (const path of lists) {
    const { status, body } = await caller.api.get(withMay(path))
    if (status === 403) return await readOwnUser(caller, path)
    expect(status, `${caller.name} → ${JSON.stringify(body)}`).toBe(200)
    rows.push(...rowsIn(body))
  }
  if (!single) return rows
  return await Promise.all(
    rows.map(async (row) => {
      const { body } = await caller.api.get(withMay(single(row)))
      expect(saidBy(body, row), `${caller.name}, ${single(row)}`).toEqual(saidBy(row, row))
      return body
    }),
  )
}

function onePerState(rows: Row[], { stateOf }: Subject): Row[] {
  return stateOf ? [...new Map(rows.map((row) => [JSON.stringify(stateOf(row)), row])).values()] : rows
}

const actionsOf = ({ may, may_not }: Row): string[] => [...may, ...Object.keys(may_not)].sort()

/** A learner cannot read lists, but can read their own user. */
async function readOwnUser(caller: Caller, path: string): Promise<Row[]> {
  if (!path.startsWith('/users')) return []
  const { status, body: session } = await caller.api.get('/auth/session')
  const { status: readable, body } = await caller.api.get(withMay(`/users/${session.user?.id}`))
  return status === 200 && readable === 200 ? [body] : []
}

/** What a row says. A list may leave out an action whose rule needs more than the list reads. */
function saidBy({ may, may_not }: Row, listed: Row) {
  const isListed = (action: string) => listed.may.includes(action) || action in listed.may_not
  return {
    may: may.filter(isListed),
    may_not: Object.fromEntries(Object.entries(may_not).filter(([action]) => isListed(action))),
  }
}

const withMay = (path: string) => `${path}${path.includes('?') ? '&' : '?'}include=may`

/** Chooses the actions whose requests are sent. `said` is the reason why the caller may not, or null. */
type Choose = (action: string, said: string | null, row: Row) => boolean

async function compareAll(scene: Scene, subject: Subject, choose: Choose): Promise<void> {
  for (const caller of scene.callers) {
    const rows = onePerState(await readRows(caller, subject), subject)
    for (const row of rows) await compare(scene, caller, subject, row, choose)
  }
}

async function compare(scene: Scene, caller: Caller, subject: Subject, row: Row, choose: Choose): Promise<void> {
  const send = (action: string) => {
    const endpoint: Endpoint = endpoints[operationOf(action)]
    const params = subject.params(row, scene, caller)
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param] as string)
    const body = endpoint.body ? bodies[action]?.({ row, scene, caller }) : undefined
    if (endpoint.body && body === undefined) throw new Error(`may-subjects.ts has no body for ${action}`)
    return sendTo(caller, endpoint, path, body)
  }
  const what = (action: string, { status, body }: ApiAnswer) =>
    `${caller.name}: ${action} of ${JSON.stringify(row).slice(0, 600)} → ${status} ${JSON.stringify(body)}`
  for (const action of row.may as string[]) {
    seenActions.add(action)
    if (!choose(action, null, row) || !swept.has(operationOf(action))) continue
    const answer = await send(action)
    if (dependsOnOthers[action]?.test(answer.body?.error)) continue
    expect(wouldSucceed(answer), what(action, answer)).toBe(true)
    counts.may++
  }
  for (const [action, reason] of Object.entries(row.may_not as Record<string, string>)) {
    seenActions.add(action)
    if (!choose(action, reason, row) || !swept.has(operationOf(action))) continue
    const answer = await send(action)
    expect(answer.status, what(action, answer)).toBeGreaterThanOrEqual(400)
    expect(answer.body?.error, what(action, answer)).toBe(reason)
    counts.mayNot++
  }
}

function sendTo({ api }: Caller, { method }: Endpoint, path: string, body: unknown): Promise<ApiAnswer> {
  const send = { POST: api.post, PUT: api.put, PATCH: api.patch, DELETE: api.delete }[method as 'POST']
  return send(path, body)
}

describe('the sweep', () => {
  it('rolls back every change, so each request finds the same rows', async () => {
    const { tenant, agentIn } = scenes['users of every role']
    const before = await fingerprint(server, [tenant.id])
    const path = `/agents/${agentIn[tenant.development]}`
    await expectRolledBack(() => tenant.owner.api.delete(path))
    expect(await fingerprint(server, [tenant.id])).toBe(before)
  })

  it.skipIf(isPartOfSweep)('has every change by a person or a key as an action of some row, or a reason', () => {
    const changes = Object.entries(endpoints as Record<string, Endpoint>)
      .filter(([, { method, access }]) => access.by === 'role' && method !== 'GET')
      .map(([id]) => id)
    const operations = new Set([...seenActions].map(operationOf) as string[])
    expect(changes.filter((id) => !operations.has(id) && !(id in noAction))).toEqual([])
    expect(Object.keys(noAction).filter((id) => operations.has(id) || !changes.includes(id))).toEqual([])
  })

  it.skipIf(isPartOfSweep)('compares thousands of actions of both kinds', { tags: ['long'] }, () => {
    expect(counts.may).toBeGreaterThan(2000)
    expect(counts.mayNot).toBeGreaterThan(2000)
  })
})
