import { declaredHours, type ToolWarning } from '@mandate/contract/tools'
import type { ToolState } from '@mandate/contract/words/tool-words'
import type { Member } from '../../authz/actor.ts'
import { statementsBySight } from '../../authz/by-sight.ts'
import { boundEnvironment } from '../../authz/can.ts'
import type { Sight } from '../../authz/sight.ts'
import { agentIsVisible, environmentIsVisible } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { byShape } from '../../db/statements/by-shape.ts'
import { namedSql, namedStatement } from '../../db/statements/named-parameters.ts'
import { raw } from '../../db/statements/statement.ts'

/** A tool as it is stored, with its state. Counts of calls are read separately. */
export interface ToolRow {
  id: string
  environment_id: string
  tool: string
  server: string
  name: string
  title: string | null
  description: string | null
  state: ToolState
  pins: string[]
  latest_hash: string
  labels: string[]
  labels_by_people: boolean
  block_reason: string | null
  warnings: ToolWarning[]
  first_seen_at: string
  last_seen_at: string
}

/** SQL for the ranges of hashes between the pins of the tool `t`, without the pins. A hash is hexadecimal, so each is between '' and 'g'. */
export const unpinnedRanges = `(select p.pin as after, lead(p.pin, 1, 'g') over (order by p.pin) as before
  from unnest(array_prepend('', t.pins)) p (pin))`

/** SQL for a report of a definition of the tool `t` whose hash matches a condition, not too long ago. */
export const recentReport = (
  now: string,
  hash: string,
) => `select from tool_reports r where r.tenant_id = t.tenant_id and r.tool_id = t.id
  and ${hash} and r.reported_at > ${now}::timestamptz - interval '${declaredHours} hours'`

/**
 * SQL for true if a reporter last declared a definition that is not pinned, and not too long ago. `t` is the row of the tool. Looks into the
 * index between the pins, so the reports of pinned definitions are not read. Most tools have one pin, and their ranges need not be computed.
 */
export const declaresUnpinned = (now: string) => `case when cardinality(t.pins) = 1
  then exists (${recentReport(now, 'r.hash < t.pins[1]')}) or exists (${recentReport(now, 'r.hash > t.pins[1]')})
  else exists (select from ${unpinnedRanges} u cross join lateral (${recentReport(now, 'r.hash > u.after and r.hash < u.before')} limit 1) d) end`

const mostArgumentBytes = 4_000

/**
 * SQL for the arguments that the tool `t` declares. Null if they are not known, are many, or if there is no schema. An agent with a key of its own could
 * otherwise change what a reach or a replay says of others, so only a definition of an edge that nobody contradicts counts.
 */
export const argumentsByEdges = (now: string) => `(select d.declared_args from tool_definitions d
  where d.tenant_id = t.tenant_id and d.tool_id = t.id and d.hash = t.latest_hash
    and d.agent_id is null and octet_length(d.declared_args::text) <= ${mostArgumentBytes}
    and t.pins <@ array[t.latest_hash] and not exists (${recentReport(now, 'r.hash < t.latest_hash')})
    and not exists (${recentReport(now, 'r.hash > t.latest_hash')}))`

/** SQL for the state of the tool `t`. */
export const stateOfTool = (
  now: string,
) => `case when t.block_reason is not null then 'blocked' when cardinality(t.pins) = 0 then 'new'
  when ${declaresUnpinned(now)} then 'changed' else 'pinned' end`
export const toolState = stateOfTool(':now')

const columns = `t.id, t.environment_id, t.tool, t.server, t.name, t.title, t.description, t.state, t.pins, t.latest_hash, t.labels,
  t.labels_by_people, t.block_reason, coalesce(d.warnings, '[]') as warnings, t.first_seen_at, t.last_seen_at`
const latest = `left join tool_definitions d on d.tenant_id = t.tenant_id and d.tool_id = t.id and d.hash = t.latest_hash`
/** SQL for true if the caller sees the tool `t`. A tool has an environment, so a caller who sees all environments sees it. */
export const toolIsVisible = (sight: Sight) =>
  sight === 'all'
    ? 'true'
    : `exists (select from environments
  where environments.tenant_id = t.tenant_id and environments.id = t.environment_id and ${environmentIsVisible(sight)})`

/**
 * SQL for true if the name or title of the tool `t` has the text that is searched. A text with `:` or `/` may be the name with the server, as policies
 * have it.
 */
export const matchesSearch = `(:search::text is null or position(lower(:search) in lower(t.name)) > 0
  or position(lower(:search) in lower(t.title)) > 0 or (:search ~ '[:/]' and position(lower(:search) in lower(t.tool)) > 0))`

/** Tools that one request looks at, whether or not the caller sees them. */
const mostTested = 5_000
/** A request tests this many tools first. They usually fill the page. Otherwise the request tests up to `mostTested` tools. */
const testedFirst = 250

/** The place of a tool in the list. */
export interface ToolPlace {
  tool: string
  environmentId: string
}

export interface ToolFilter {
  search: string | null
  state: string | null
  server: string | null
  label: string | null
  warning: string | null
  environmentId: string | null
  agentId: string | null
}

/**
 * SQL for true if an agent called the tool `t`, or if it was declared for the agent. A tool that an agent called has counts of a kind with its
 * name, in the same environment.
 */
export const isToolOfAgent = `(exists (select from tool_reports r where r.tenant_id = :tenantId and r.tool_id = t.id and r.declared_for = :agentId::uuid
    and r.reported_at > :now::timestamptz - interval '30 days')
  or exists (select from decision_kinds k join decision_days c on c.tenant_id = :tenantId and c.kind_id = k.id
    where k.tenant_id = :tenantId and k.tool = t.tool and k.environment_id = t.environment_id
      and c.subject_id = :agentId::uuid and c.bucket > :now::timestamptz - interval '30 days'))`

/** SQL for true if the caller sees the agent that the filter names. Otherwise the tools would tell about an agent that the caller does not see. */
export const filteredAgentIsVisible = (sight: Sight) =>
  `exists (select from agents a where a.tenant_id = :tenantId and a.id = :agentId::uuid and ${agentIsVisible(sight, 'a')})`

// The tools are read first and then tested, so that the cost does not depend on how many of them the caller sees.
// An index has the tools of a server, and another one those of an environment, so that no other tools are read.
const shapes = {
  hasAgent: [false, true],
  hasState: [false, true],
  hasEnvironment: [false, true],
  hasServer: [false, true],
} as const
const page = statementsBySight(shapes, ({ sight, hasAgent, hasState, hasEnvironment, hasServer }) =>
  namedSql<ToolRow & { is_match: boolean }>(`
    with tested as materialized (
      select t.* from tools t
      where t.tenant_id = :tenantId and (t.tool, t.environment_id) > (:afterTool, :afterEnvironment::uuid)
        ${hasEnvironment ? 'and t.environment_id = :environment::uuid and t.tool >= :afterTool' : ''}
        ${hasServer ? 'and t.server = :server' : ''}
      order by t.tool, t.environment_id limit :tested),
    matching as materialized (
      select t.* from tested t
      where ${toolIsVisible(sight)}
        ${hasState ? `and ${toolState} = :state` : ''}
        and (:label::text is null or :label = any (t.labels))
        and (:warning::text is null or exists (select from tool_definitions d where d.tenant_id = t.tenant_id and d.tool_id = t.id
          and d.hash = t.latest_hash and d.warnings @> jsonb_build_array(jsonb_build_object('type', :warning::text))))
        and ${matchesSearch}
        ${hasAgent ? `and ${filteredAgentIsVisible(sight)} and ${isToolOfAgent}` : ''}
      order by t.tool, t.environment_id limit :size)
    (select true as is_match, ${columns} from (select t.*, ${toolState} as state from matching t) t ${latest})
    union all
    (select false, t.id, t.environment_id, t.tool, '', '', null, null, 'new', '{}', '', '{}', false, null, '[]', t.first_seen_at, t.last_seen_at
      from tested t order by t.tool desc, t.environment_id desc limit 1)
    order by is_match desc, tool, environment_id`),
)

/**
 * Returns the tools after a place that match the filter, at most `size`. Looks at up to 5,000 tools of the tenant, or of the environment and the
 * server of the filter.
 * `next` is the place from which the next page goes on; null on the last page.
 */
export async function findTools(
  db: Sql,
  actor: Member,
  { agentId, environmentId, state, server, ...filter }: ToolFilter,
  { after, size, now }: { after: ToolPlace | undefined; size: number; now: string },
): Promise<{ tools: ToolRow[]; next: ToolPlace | null }> {
  const environment = environmentId ?? boundEnvironment(actor)
  const read = async (tested: number) => {
    const rows = await db.all(
      page(
        actor,
        {
          hasAgent: agentId !== null,
          hasState: state !== null,
          hasEnvironment: environment !== null,
          hasServer: server !== null,
        },
        {
          ...filter,
          ...(environment !== null && { environment }),
          ...(state !== null && { state }),
          ...(server !== null && { server }),
          ...(agentId !== null && { agentId }),
          afterTool: after?.tool ?? '',
          afterEnvironment: after?.environmentId ?? '00000000-0000-0000-0000-000000000000',
          size,
          now,
          tested,
        },
      ),
    )
    const tools = rows.filter(({ is_match }) => is_match).map(({ is_match: _, ...tool }) => tool)
    const end = rows.find(({ is_match }) => !is_match)
    const isFull = tools.length === size
    // The page is full, or the tools that were tested ended before the list did.
    const from = isFull ? tools.at(-1) : end
    const isEnd = from === undefined || (from.id === end?.id && (await isLast(db, from, { environment, server })))
    const next = isEnd ? null : { tool: from.tool, environmentId: from.environment_id }
    return { found: { tools, next }, isWhole: isFull || isEnd }
  }
  const first = await read(testedFirst)
  return first.isWhole ? first.found : (await read(mostTested)).found
}

const isAnyAfter = byShape(
  { hasEnvironment: [false, true], hasServer: [false, true] },
  ({ hasEnvironment, hasServer }) =>
    namedStatement(
      namedSql(`select 1 from tools where tenant_id = :tenantId
        and ${hasEnvironment ? 'environment_id = :environment::uuid and tool > :tool' : '(tool, environment_id) > (:tool, :environment::uuid)'}
        ${hasServer ? 'and server = :server' : ''} limit 1`),
    ),
)

/** True if no tool of the tenant, or of the environment and the server of the filter, comes after a tool in the list. */
async function isLast(
  db: Sql,
  { tool, environment_id: environment }: ToolRow,
  filter: { environment: string | null; server: string | null },
): Promise<boolean> {
  const { server } = filter
  const statement = isAnyAfter({ hasEnvironment: filter.environment !== null, hasServer: server !== null })
  const values = { tenantId: db.tenantId, tool, environment, ...(server !== null && { server }) }
  return (await db.maybe(statement(values))) === undefined
}

const single = statementsBySight({}, ({ sight }) =>
  namedSql<ToolRow>(`select ${columns} from (
      select t.*, ${toolState} as state from tools t where t.tenant_id = :tenantId and t.id = :id and ${toolIsVisible(sight)}) t ${latest}`),
)

export function findTool(db: Sql, actor: Member, id: string, now: string) {
  return db.maybe(single(actor, {}, { id, now }))
}

/** Locks a tool until the transaction ends. Lock the inventory before. */
export async function lockTool(tx: Tx, id: string): Promise<void> {
  await tx.all(raw('select 1 from tools where tenant_id = $1 and id = $2 for no key update', [tx.tenantId, id]))
}

export interface DefinitionRow {
  hash: string
  definition: string
  warnings: ToolWarning[]
  first_seen_at: string
  last_seen_at: string
}

/** Returns the stored definitions of a tool, the newest by first sight first. There are at most 25. */
export function findDefinitions(db: Sql, id: string) {
  const text = `select hash, definition, warnings, first_seen_at, last_seen_at from tool_definitions
    where tenant_id = $1 and tool_id = $2 order by first_seen_at desc, hash`
  return db.all(raw<DefinitionRow>(text, [db.tenantId, id]))
}

/** Returns those of the hashes that are stored definitions of a tool. */
export async function findHashes(tx: Tx, id: string, hashes: readonly string[]): Promise<string[]> {
  const text = 'select hash from tool_definitions where tenant_id = $1 and tool_id = $2 and hash = any($3::text[])'
  return (await tx.all(raw<{ hash: string }>(text, [tx.tenantId, id, hashes]))).map(({ hash }) => hash)
}

export interface ToolSetting {
  pins: readonly string[]
  labels: readonly string[]
  labels_by_people: boolean
  block_reason: string | null
}

/** Stores what people decided about a tool, and the version of the inventory in which they did. */
export async function storeSetting(tx: Tx, id: string, setting: ToolSetting, version: number) {
  const { pins, labels, labels_by_people, block_reason } = setting
  const text = `update tools set pins = $3, labels = $4, labels_by_people = $5, block_reason = $6, changed_in = $7
    where tenant_id = $1 and id = $2`
  await tx.all(raw(text, [tx.tenantId, id, pins, labels, labels_by_people, block_reason, version]))
}

const named = 't.tenant_id = :tenantId and t.environment_id = :environmentId::uuid and t.tool = any (:tools::text[])'
const entries = namedStatement(
  namedSql<{ tool: string; labels: string[]; state: ToolState; declared_args: string[] | null }>(`
  select t.tool, t.labels, ${toolState} as state, ${argumentsByEdges(':now')} as declared_args from tools t where ${named}`),
)
const latestDefinitions = namedStatement(
  namedSql<{ tool: string; definition: string }>(`
  select t.tool, d.definition from tools t
  join tool_definitions d on d.tenant_id = t.tenant_id and d.tool_id = t.id and d.hash = t.latest_hash where ${named}`),
)

/** Returns the labels, the state and the declared arguments of tools of an environment. Tools that the inventory does not know are left out. */
export function findEntries(db: Sql, environmentId: string, tools: readonly string[], now: string) {
  return db.all(entries({ tenantId: db.tenantId, environmentId, tools, now }))
}

/** Returns the latest definition of tools of an environment. A definition has up to 64 KiB, so name few tools. */
export function findLatestDefinitions(db: Sql, environmentId: string, tools: readonly string[]) {
  return db.all(latestDefinitions({ tenantId: db.tenantId, environmentId, tools }))
}
