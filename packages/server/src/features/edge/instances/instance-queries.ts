import type { EdgeInstance } from '@mandate/contract/edge'
import {
  countRunning,
  fewRunningInstances,
  instancesWith,
  isOfEdge,
  isSilent,
  mostInstancesTested,
  runningInstances,
  silentInstancesWith,
} from '../../../agent-state/edge-instances.ts'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Sight } from '../../../authz/sight.ts'
import type { Sql } from '../../../db/database.ts'
import { boundedCount, countedAtMost } from '../../../db/lists/bounded-count.ts'
import { namedSql, namedStatement } from '../../../db/statements/named-parameters.ts'
import type { Quiet } from '../reach/edge-list-queries.ts'
import { lacksOfInstance } from '../reach/lacks.ts'

export interface InstanceFilters {
  credential: 'edge' | 'agent' | undefined
  silent: boolean | undefined
  environmentId: string | undefined
}

const ofKey = { any: 'true', edge: isOfEdge, agent: `not ${isOfEdge}` } as const
const fields = { heard: ['any', 'silent', 'heard'], key: ['any', 'edge', 'agent'], inOne: [false, true] } as const

interface Shape {
  sight: Sight
  heard: (typeof fields)['heard'][number]
  key: keyof typeof ofKey
  inOne: boolean
}

/** SQL that selects the instances of a list that match `condition` too, whether or not they run. */
const candidates = ({ sight, heard, key, inOne }: Shape, condition = 'true') => {
  const place = inOne ? 'i.environment_id = :inEnvironment::uuid' : 'true'
  const matches = `i.agents > 0 and ${place} and ${ofKey[key]} and ${condition}`
  if (heard === 'silent') return silentInstancesWith(sight, matches)
  return instancesWith(sight, heard === 'heard' ? `not (${isSilent}) and ${matches}` : matches)
}

// This is the order of the indexes of the table. The order of the heartbeats would change all the time, and no index has it.
const byName = 'i.credential_id desc, i.instance_id desc'
/** The first read tests as many instances as this page and the pages before it have, and this many more. They usually fill the page. */
const testedMore = 500

// The limits are constants, because PostgreSQL estimates a limit that is a parameter as 10 % of the rows, and then sorts all rows.
const tests = { few: 1_000, many: 20_000, all: mostInstancesTested } as const
const pageFields = { ...fields, tests: ['few', 'many', 'all'] } as const

/** SQL: the first instances of a list. Selects instances that are not silent only if the first `:tested` instances include all silent ones. */
function firstOf({ tests: most, ...shape }: Shape & { tests: keyof typeof tests }): string {
  const part = (heard: Shape['heard'], condition?: string) => `
    select * from (select * from (${candidates({ ...shape, heard }, condition)}) i order by ${byName} limit ${tests[most]}) i limit :tested::int`
  if (shape.heard !== 'any') return part(shape.heard)
  return `with silent as materialized (${part('silent')})
    select * from silent union all (${part('heard', '(select count(*) from silent) < :tested::int')})`
}

// The number of agents of an edge includes agents that a scoped user does not see.
const agentsOf = (sight: Sight) =>
  sight === 'all' || sight === 'bound' ? 'i.agents' : 'case when e.id is null then i.agents end'

const pageOf = statementsBySight(pageFields, (shape) =>
  namedSql<EdgeInstance>(`select i.instance_id,
      case when e.id is not null then json_build_object('id', e.id, 'name', e.name) end as edge,
      case when e.id is null then json_build_object('id', k.id, 'name', k.name) end as agent,
      i.environment_id, ${isSilent} as silent, i.seen_at as last_heartbeat_at, i.edge_version as version,
      ${agentsOf(shape.sight)} as agents_served, i.closes_at, ${lacksOfInstance} as lacks
    from ${(shape.tests === 'few' ? fewRunningInstances : runningInstances)(shape.sight, firstOf(shape))}
    order by ${isSilent} desc, ${byName} limit :limit offset :offset`),
)

const totalOf = statementsBySight(fields, (shape) =>
  namedSql<{ total: number }>(`select ${countRunning(shape.sight, candidates(shape))} as total`),
)

/** Returns one page of the running instances that the actor sees: silent ones first, then those of the newest credentials. */
export async function findInstances(
  db: Sql,
  actor: Member,
  { credential, silent, environmentId }: InstanceFilters,
  quiet: Quiet,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ instances: EdgeInstance[]; total: number }> {
  const heard = silent === undefined ? 'any' : silent ? 'silent' : 'heard'
  const shape = { heard, key: credential ?? 'any', inOne: environmentId !== undefined } as const
  const values = { ...quiet, inEnvironment: environmentId ?? null, limit, offset }
  const read = (tested: number) => {
    const most = tested <= tests.few ? 'few' : tested <= tests.many ? 'many' : 'all'
    return db.all(pageOf(actor, { ...shape, tests: most }, { ...values, tested }))
  }
  const [first, { total }] = await Promise.all([
    read(Math.min(offset + limit + testedMore, mostInstancesTested)),
    db.one(totalOf(actor, shape, values)),
  ])
  // A total of `countedAtMost` may be a minimum.
  const isWhole = first.length === limit || (total < countedAtMost && offset + first.length >= total)
  return { instances: isWhole ? first : await read(mostInstancesTested), total }
}

const countOf = statementsBySight({}, ({ sight }) => {
  const all = { sight, key: 'any', inOne: false } as const
  return namedSql<{ instances: number; instances_silent: number }>(
    `select ${countRunning(sight, candidates({ ...all, heard: 'any' }))} as instances,
      ${countRunning(sight, candidates({ ...all, heard: 'silent' }))} as instances_silent`,
  )
})

/** Counts the running instances that the actor sees, and the silent ones of them. Each count stops at 10,000. */
export function countVisibleInstances(db: Sql, actor: Member, quiet: Quiet) {
  return db.one(countOf(actor, {}, { ...quiet }))
}

// An edge whose state folder is new at each start gets a new instance each time, and the old one never returns. So an instance counts for an hour
// only. It does not count if another instance of its key replaced it: one that started after its last heartbeat, or shortly before it, as in a
// rolling restart.
const missing = namedStatement(
  namedSql<{ missing: number }>(
    `select ${boundedCount(`(${silentInstancesWith(
      'all',
      `i.agents > 0 and i.seen_at > :silentBefore::timestamptz - interval '1 hour'`,
    )}) i where not exists (select from edge_instances n where n.tenant_id = :tenantId and n.credential_id = i.credential_id
      and n.seen_at > i.seen_at and n.started_at > i.seen_at - :seconds * interval '1 second')
    and (exists (select from edges e where e.tenant_id = :tenantId and e.id = i.credential_id and e.revoked_at is null)
      or exists (select from agents k where k.tenant_id = :tenantId and k.id = i.credential_id and k.status <> 'archived'))`)} as missing`,
  ),
)

/** Counts the instances of all credentials that became silent within the last hour and that no newer instance replaced, up to 10,000. */
export async function countMissing(db: Sql, quiet: Quiet): Promise<number> {
  return (await db.one(missing({ ...quiet, tenantId: db.tenantId }))).missing
}
