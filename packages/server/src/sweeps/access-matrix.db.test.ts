// May take over 10 s: calls every endpoint with every kind of credential, and compares the whole database after each refusal.
import { readFile } from 'node:fs/promises'
import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { endpoints, type OperationId } from '@mandate/contract/endpoints'
import { beforeAll, describe, expect, it } from 'vitest'
import { readOnlyText } from '../authz/declared-access.ts'
import type { ApiAnswer } from '../testing/api-client.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { callEndpoint } from './call-endpoint.ts'
import { exampleBodies } from './examples.ts'
import { fingerprint } from './fingerprint.ts'
import { isRolledBack, keepChanges, rollBackChanges } from './roll-back-changes.ts'
import { isPartOfSweep, sweptEndpoints } from './swept-endpoints.ts'
import { type Credential, createWorld, credentials, giveScopedUsersAccess, type World } from './world.ts'

const committed = new URL('../../../../docs/access-matrix.md', import.meta.url).pathname

const server = useOwnServer()

const all = sweptEndpoints.filter(([, { access }]) => access.by !== 'public')
const learnerMay: OperationId[] = all
  .filter(([, { access }]) => 'learners' in access && access.learners)
  .map(([id]) => id)
const readOnlyUsersMay: OperationId[] = all
  .filter(([, { access, method }]) => method === 'GET' || ('readOnlyUsers' in access && access.readOnlyUsers))
  .map(([id]) => id)
/** These endpoints use POST because their input is large. They change no data. */
const decidesOnly: OperationId[] = ['validatePolicy', 'simulatePolicy', 'testContentPatterns']
const table = new Map<OperationId, Record<Credential, number>>()

beforeAll(() => rollBackChanges(server))

function freshWorld(): Promise<World> {
  return keepChanges(server, async () => {
    const world = await createWorld(server)
    await giveScopedUsersAccess(server, world)
    return world
  })
}

/** Worlds that no request has changed. The tests share them, because making one takes longer than most tests. */
const unchanged: World[] = []

async function unchangedWorld(place = 0): Promise<World> {
  const world = unchanged[place] ?? (await freshWorld())
  unchanged[place] = world
  return world
}

/** The credentials that the committed matrix refuses, and the others. An endpoint without a row has only others. */
async function splitByMatrix(id: OperationId): Promise<[refused: Credential[], others: Credential[]]> {
  const line = (await readFile(committed, 'utf8')).split('\n').find((row) => row.startsWith(rowStart(id)))
  const statuses = line?.split(' | ').slice(1).map(Number.parseFloat) ?? []
  const isRefused = (credential: Credential) => (statuses[credentials.indexOf(credential)] ?? 0) >= 400
  return [credentials.filter(isRefused), credentials.filter((credential) => !isRefused(credential))]
}

function call(world: World, id: OperationId, endpoint: Endpoint, credential: Credential, target = world) {
  const example = exampleBodies[id]
  if (endpoint.body && !endpoint.bodyOptional && !example) throw new Error(`examples.ts has no body for ${id}`)
  const headers = { 'content-type': endpoint.consumes ?? 'application/json' }
  const body = endpoint.body ? example?.(target) : undefined
  return callEndpoint(world, endpoint, credential, { params: target.ids, body, ...(body !== undefined && { headers }) })
}

function refusesAsDocumented(id: OperationId, endpoint: Endpoint, credential: Credential, answer: ApiAnswer) {
  const what = `${credential} → ${answer.status} ${JSON.stringify(answer.body)}`
  const isEdgeCredential = credential === 'agent_key' || credential === 'edge_key'
  if (['nothing', 'nonsense', 'unknown_key', 'revoked_key', 'expired_key', 'removed_user'].includes(credential)) {
    expect(answer.status, what).toBe(401)
    if (credential.endsWith('_key')) expect(answer.body, what).toEqual({ error: 'invalid API key', code: 401 })
    return
  }
  if (isEdgeCredential !== (endpoint.access.by === 'edge')) return expect(answer.status, what).toBe(401)
  if (credential === 'learner' && !learnerMay.includes(id)) {
    expect(answer, what).toMatchObject({ status: 403, body: { code: 'academy_only_account' } })
  }
  const readOnlyRefused = credential === 'owner_read_only_key' && endpoint.method !== 'GET'
  const isScoped = !('anyScope' in endpoint.access && endpoint.access.anyScope)
  if (isScoped && (readOnlyRefused || credential === 'owner_other_scope_key')) {
    expect(answer.status, what).toBe(403)
    expect(answer.body, what).toEqual({ error: 'API key scope does not permit this operation', code: 403 })
  }
  // Their own account is theirs to change, and the target of the world is another user.
  if (credential.startsWith('read_only_owner') && (!readOnlyUsersMay.includes(id) || id === 'updateUser')) {
    expect(answer.status, what).toBe(403)
    expect(answer.body, what).toEqual({ error: readOnlyText })
  }
  if (credential === 'viewer' || credential === 'viewer_key') {
    const mayWrite = learnerMay.includes(id) || endpoint.tag === 'Sign-in' || decidesOnly.includes(id)
    if (endpoint.method !== 'GET' && !mayWrite) expect(answer.status, what).toBeGreaterThanOrEqual(400)
  }
}

it('read-only users may change their own account, verify the audit trail and send what changes nothing', () => {
  const changes = readOnlyUsersMay.filter((id) => endpoints[id].method !== 'GET')
  const own = all.filter(([, { access }]) => 'sessionOnly' in access && access.sessionOnly).map(([id]) => id)
  const allowed = new Set([...own, ...decidesOnly, 'updateUser', 'startAuditVerification'])
  expect(changes.filter((id) => !allowed.has(id))).toEqual([])
})

describe('every endpoint with every kind of credential', () => {
  it.each(all)('%s answers as documented, and a refusal writes nothing', async (id, endpoint) => {
    let world = await unchangedWorld()
    const row = {} as Record<Credential, number>
    const note = (credential: Credential, answer: ApiAnswer) => {
      expect(answer.status, `${credential} → ${JSON.stringify(answer.body)}`).toBeLessThan(500)
      refusesAsDocumented(id, endpoint, credential, answer)
      row[credential] = answer.status
    }
    const [refused, others] = await splitByMatrix(id)
    const before = await fingerprint(server, [world.tenant.id])
    for (const credential of refused) note(credential, await call(world, id, endpoint, credential))
    // If one of them is no longer refused, the comparison with the committed matrix fails.
    if (refused.every((credential) => row[credential] >= 400))
      expect(await fingerprint(server, [world.tenant.id]), `one of these was refused and wrote: ${refused}`).toBe(
        before,
      )
    let isChanged = false
    const noteChange = (answer: ApiAnswer) => {
      if (answer.status >= 400 || endpoint.method === 'GET') return
      isChanged = true
      if (world === unchanged[0]) unchanged.shift()
    }
    const allowed: Credential[] = []
    for (const credential of others) {
      let answer = await call(world, id, endpoint, credential)
      if (isRolledBack(answer)) {
        allowed.push(credential)
        continue
      }
      if (answer.status >= 400) {
        // What an earlier credential changed can be the reason of this refusal.
        if (isChanged) world = await freshWorld()
        isChanged = false
        const unchanged = await fingerprint(server, [world.tenant.id])
        answer = await call(world, id, endpoint, credential)
        const after = await fingerprint(server, [world.tenant.id])
        if (answer.status >= 400)
          expect(after, `${credential} was refused with ${answer.status} and wrote`).toBe(unchanged)
      }
      note(credential, answer)
      noteChange(answer)
    }
    if (allowed[0]) {
      if (isChanged) world = await freshWorld()
      const one = allowed[0]
      const answer = await keepChanges(server, () => call(world, id, endpoint, one))
      for (const credential of allowed) note(credential, answer)
      noteChange(answer)
    }
    table.set(id, row)
  })

  const withParams = all.filter(([, { access, params }]) => params && access.by === 'role')
  it.each(withParams)(
    '%s refuses the owner of another tenant and their key, and writes nothing',
    async (id, endpoint) => {
      const [world, foreign] = [await unchangedWorld(0), await unchangedWorld(1)]
      const both = [world.tenant.id, foreign.tenant.id]
      const before = await fingerprint(server, both)
      for (const credential of ['owner', 'owner_key', 'owner_bound_key'] as const) {
        const answer = await call(foreign, id, endpoint, credential, world)
        const what = `${credential} → ${answer.status} ${JSON.stringify(answer.body)}`
        // Suppressing is idempotent for a caller with full access. It succeeds even for ids that do not exist.
        const known = id === ('suppressAgent' as OperationId) ? [204, 404] : [403, 404]
        expect(known, what).toContain(answer.status)
        expect(JSON.stringify(answer.body ?? ''), what).not.toContain(world.tenant.name)
      }
      expect(await fingerprint(server, both)).toBe(before)
    },
  )

  it('the whole matrix equals the committed one', async () => {
    const [rows, others] = splitAtHeading(await readFile(committed, 'utf8'))
    const matrix = isPartOfSweep ? renderInto(rows) : render()
    await expect(matrix + others).toMatchFileSnapshot(committed)
  })
})

/** Splits the page before its second heading. Another test writes the part after the matrix. */
function splitAtHeading(page: string): [matrix: string, others: string] {
  const at = page.indexOf('\n## ')
  return at < 0 ? [page, ''] : [page.slice(0, at), page.slice(at)]
}

function render(): string {
  const lines = [
    '<!-- Generated by the access matrix test. Do not edit. -->',
    '# Who gets what',
    '',
    'The status that every endpoint returns for every kind of credential of its own tenant, for a well-formed request about a resource',
    'that exists. The scoped users have access to the agent and the environment. The bound key is bound to the environment of the',
    'resource, and the foreign bound key to another environment.',
    '',
    `| Endpoint | ${credentials.map((name) => name.replaceAll('_', ' ')).join(' | ')} |`,
    `|---|${credentials.map(() => '---|').join('')}`,
  ]
  lines.push(...[...table].map(([id, row]) => renderRow(id, row)))
  return `${lines.join('\n')}\n`
}

function renderRow(id: OperationId, row: Record<Credential, number>): string {
  return `${rowStart(id)}${credentials.map((name) => row[name]).join(' | ')} |`
}

function rowStart(id: OperationId): string {
  const { method, path } = endpoints[id] as Endpoint
  return `| ${method} ${path} | `
}

/**
 * Returns the committed matrix with the rows of this run. The row of a new endpoint is placed after the row of the endpoint
 * that precedes it in the contract.
 */
function renderInto(matrix: string): string {
  const lines = matrix.trimEnd().split('\n')
  const ids = Object.keys(endpoints) as OperationId[]
  const placeOf = (id: OperationId) => lines.findIndex((line) => line.startsWith(rowStart(id)))
  for (const [id, row] of table) {
    const at = placeOf(id)
    const before = ids.slice(0, ids.indexOf(id)).findLast((other) => placeOf(other) >= 0)
    if (at >= 0) lines[at] = renderRow(id, row)
    else lines.splice(before === undefined ? lines.length : placeOf(before) + 1, 0, renderRow(id, row))
  }
  return `${lines.join('\n')}\n`
}
