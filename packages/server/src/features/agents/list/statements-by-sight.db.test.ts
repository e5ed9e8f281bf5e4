import type { AgentConditions, AgentFilters } from '@mandate/contract/agents'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Member } from '../../../authz/actor.ts'
import { type Sight, sights } from '../../../authz/sight.ts'
import { findEnvironment, lockEnvironmentForKeyShare } from '../../../caller/working-environment.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { type NamedStatement, named, type Statement } from '../../../db/statements/statement.ts'
import { createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { findAgentJson, findAgentsJson, findCoverageJson, findListedJson } from '../json/agent-json-queries.ts'
import { type Narrowing, narrowings, orderedFilters } from '../json/list-narrowing.ts'
import { lookAt, type Search, tryCandidates } from './search-queries.ts'
import { lookAtHeard, lookAtSilent, lookInOrder, sorts, start, tryCandidatesInOrder } from './sort-queries.ts'

const now = '2026-03-04T05:06:07.080Z'
const [id, before] = [newId(), newId()]
const filters = { governance_state: 'governed', page_size: 50 } as const
const all: AgentConditions = {
  ...filters,
  ...{ status: 'active', lifecycle_status: 'approved', source: 'runtime', search: 'a', execution_coverage: 'stale' },
  ...{
    environment_id: newId(),
    policy_id: newId(),
    framework: 'f',
    drift: 'true',
    heartbeat: 'late',
    owner_user_id: newId(),
  },
}

/** The filter of a page that one index has. */
function askedFor(filter: (typeof orderedFilters)[number] | undefined): Partial<AgentConditions> {
  if (filter === undefined) return {}
  if (filter === 'owner' || filter === 'no owner') {
    return { owner_user_id: filter === 'owner' ? newId() : 'none' }
  }
  return { [filter]: all[filter] }
}

const sortedPlaces = sorts.map((sort) => [sort, start[sort]] as const)

const server = useTestServer()
let tenants: [TestTenant, TestTenant]

beforeAll(async () => {
  tenants = [await createTenant(server), await createTenant(server)]
})

const isScoped = (sight: Sight) => sight === 'scoped' || sight === 'scoped+bound'
const isBound = (sight: Sight) => sight === 'bound' || sight === 'scoped+bound'

const actorOf = (sight: Sight, { id: tenantId, owner, development }: TestTenant): Member => ({
  ...{ kind: 'api_key', tenantId, userId: owner.id, accountId: null, email: '', displayName: '', academyOnly: false },
  ...{ readOnly: false, role: 'manager', accessScope: isScoped(sight) ? 'scoped' : 'all' },
  key: {
    ...{ id: newId(), prefix: '', name: '', scopes: [] },
    environmentId: isBound(sight) ? development : null,
  },
})

type Work = (tx: Tx, actor: Member) => Promise<unknown>

const searching = (run: (tx: Tx, search: Search) => Promise<unknown>): Work[] =>
  [filters, all].map((asked) => (tx, actor) => run(tx, { actor, filters: asked, now, lateBefore: now, wanted: 51 }))

/**
 * Work that sends every statement that has one variant per sight (`statementsBySight`), with each combination of its other
 * options.
 */
const works: [string, Work[] | ((sight: Sight) => Work[])][] = [
  ['one agent', [(tx, actor) => findAgentJson(tx, actor, id, now)]],
  ['execution coverage', [(tx, actor) => findCoverageJson(tx, actor, id, now)]],
  ['agents by their ids', [(tx, actor) => findListedJson(tx, actor, [id], now)]],
  [
    'a page of an index',
    (sight) =>
      [undefined, ...(sight === 'all' ? orderedFilters : [])].flatMap((column) =>
        [undefined, before].map((afterId): Work => {
          const asked: Omit<AgentFilters, 'sort'> = { ...filters, ...askedFor(column) }
          return (tx, actor) => findAgentsJson(tx, actor, asked, afterId, now)
        }),
      ),
  ],
  [
    'the newest agents',
    ([1000, 4000, 5000] as const).flatMap((count) => searching((tx, search) => lookAt(tx, search, before, count))),
  ],
  [
    'candidates',
    (sight) =>
      narrowings
        .filter((narrowing) => isPossible(narrowing, sight))
        .flatMap((narrowing) =>
          ([500, 5000] as const).flatMap((most) =>
            searching((tx, search) => {
              const asked = { search: 'a', status: 'active', lifecycle_status: 'approved', source: 'runtime' } as const
              const filters = {
                ...all,
                ...asked,
                ...search.filters,
                execution_coverage: search.filters.execution_coverage,
              }
              return tryCandidates(tx, { ...search, filters }, { narrowing, before, most })
            }),
          ),
        ),
  ],
  [
    'the next agents of an order',
    (['attention', 'name'] as const).flatMap((sort) =>
      ([1000, 5000] as const).flatMap((count) =>
        searching((tx, search) => lookInOrder(tx, search, sort, start[sort], count)),
      ),
    ),
  ],
  ['the agents with a heartbeat', searching((tx, search) => lookAtHeard(tx, search, start.last_heartbeat))],
  ['the agents without a heartbeat', searching((tx, search) => lookAtSilent(tx, search, start.last_heartbeat))],
  [
    'candidates of an order',
    (sight) =>
      sortedPlaces.flatMap(([sort, place]) =>
        narrowings
          .filter((narrowing) => isPossible(narrowing, sight))
          .map((narrowing): Work => {
            return (tx, actor) => {
              const search = { actor, filters: all, now, lateBefore: now, wanted: 51 }
              return tryCandidatesInOrder(tx, search, { sort, place, narrowing, most: 5000 })
            }
          }),
      ),
  ],
  [
    'an environment',
    [(tx, actor) => findEnvironment(tx, actor, id), (tx, actor) => lockEnvironmentForKeyShare(tx, actor, id)],
  ],
]

const isPossible = (narrowing: Narrowing, sight: Sight) =>
  narrowing === 'environment' ? sight === 'bound' : narrowing !== 'grants' || isScoped(sight)

/** Runs the work as the actor, and returns the statements that it sent. */
async function statementsOf(work: readonly Work[], sight: Sight, tenant: TestTenant): Promise<NamedStatement[]> {
  const sent: NamedStatement[] = []
  const actor = actorOf(sight, tenant)
  await server.services.db.transaction(actor.tenantId, async (tx) => {
    const kept = <Row>(statement: Statement<Row>) => {
      sent.push(named(statement))
      return statement
    }
    const recording: Tx = {
      ...tx,
      all: (statement) => tx.all(kept(statement)),
      one: (statement) => tx.one(kept(statement)),
      maybe: (statement) => tx.maybe(kept(statement)),
    }
    for (const run of work) await run(recording, actor)
  })
  return sent
}

function expectValuesOf(sent: NamedStatement[], sight: Sight, [own, foreign]: readonly [TestTenant, TestTenant]): void {
  for (const { values } of sent) {
    expect(values).toContain(own.id)
    expect(values.includes(own.owner.id)).toBe(isScoped(sight))
    expect(values.includes(own.development)).toBe(isBound(sight))
    for (const value of [foreign.id, foreign.owner.id, foreign.development]) expect(values).not.toContain(value)
  }
}

describe.each(works)('the statement of %s', (_, worksOf) => {
  const seen = new Map<string, Sight>()

  it.each(sights)('has one text for the actors of the sight %s, and the values of each', async (sight) => {
    const work = typeof worksOf === 'function' ? worksOf(sight) : worksOf
    const [one, other] = [await statementsOf(work, sight, tenants[0]), await statementsOf(work, sight, tenants[1])]
    expect(one).toHaveLength(work.length)
    expect(one.map(({ text }) => text)).toEqual(other.map(({ text }) => text))
    expect(new Set(one.map(({ text }) => text)).size).toBe(work.length)
    expectValuesOf(one, sight, tenants)
    expectValuesOf(other, sight, [tenants[1], tenants[0]])
    for (const { text } of one) {
      expect(seen.get(text), 'the text of another sight').toBeUndefined()
      seen.set(text, sight)
    }
  })
})
