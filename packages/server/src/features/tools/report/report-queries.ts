import { keptDefinitions, type ToolWarning } from '@mandate/contract/tools'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/** Who reports. `declaredFor` is the agent that the report names, or the reporter itself. */
export interface Reporter {
  id: string
  declaredFor: string
  /** The agent whose own key sent the report. Null for an edge. */
  agentId: string | null
}

/** A declared tool: its name in policies, the hash of its definition, and the names of the arguments that it declares. */
export interface Declared {
  tool: string
  hash: string
  declaredArgs: string | null
}

/** Of one reporter, declarations for at most this many agents are kept for each tool. */
const mostDeclaredFor = 20

const known = `select t.tool, d.hash from unnest($3::text[], $4::text[]) as s (tool, hash)
  join tools t on t.tenant_id = $1 and t.environment_id = $2 and t.tool = s.tool
  left join tool_definitions d on d.tenant_id = $1 and d.tool_id = t.id and d.hash = s.hash`

/** Returns those of the tools that are in the inventory. `hash` is null if the definition is new for the tool. */
export function findKnown(db: Sql, environmentId: string, declared: readonly Declared[]) {
  const values = [db.tenantId, environmentId, declared.map(({ tool }) => tool), declared.map(({ hash }) => hash)]
  return db.all(raw<{ tool: string; hash: string | null }>(known, values))
}

/** Returns the server and the name of every tool of an environment. There are at most 5,000. */
export function findNames(db: Sql, environmentId: string) {
  const text = 'select server, name from tools where tenant_id = $1 and environment_id = $2'
  return db.all(raw<{ server: string; name: string }>(text, [db.tenantId, environmentId]))
}

// The rows of `tools` are locked in the order of their ids, before the rows that belong to them. So reports about the same tools cannot
// deadlock. Times are written once a minute, so that the edges of an environment do not wait for each other when all of them start. The last
// statement writes what the reporter declared only if it is news. A tool or definition that an edge declares does not count for an agent any more.
// Definitions that an earlier version stored have no names of arguments until they are declared again.
const noteSeen = `
  with said as materialized (
    select t.id, d.hash, s.declared, t.last_seen_at < $7::timestamptz - interval '1 minute' or ($8 and t.agent_id is not null) as is_news,
      d.last_seen_at < $7::timestamptz - interval '1 minute' or ($8 and d.agent_id is not null) as is_definition_news
    from unnest($3::text[], $4::text[], $9::jsonb[]) as s (tool, hash, declared)
    join tools t on t.tenant_id = $1 and t.environment_id = $2 and t.tool = s.tool
    join tool_definitions d on d.tenant_id = $1 and d.tool_id = t.id and d.hash = s.hash),
  locked as materialized (
    select t.id from tools t where t.tenant_id = $1 and t.id in (select id from said) order by t.id for no key update),
  mine as materialized (select said.* from said join locked using (id)),
  seen as (
    update tools t set last_seen_at = greatest(t.last_seen_at, $7), agent_id = case when $8 then null else t.agent_id end
    from mine where t.tenant_id = $1 and t.id = mine.id and mine.is_news),
  seen_definitions as (
    update tool_definitions d set last_seen_at = greatest(d.last_seen_at, $7), agent_id = case when $8 then null else d.agent_id end,
      declared_args = coalesce(d.declared_args, mine.declared)
    from mine where d.tenant_id = $1 and d.tool_id = mine.id and d.hash = mine.hash and mine.is_definition_news)
  insert into tool_reports as r (tenant_id, tool_id, reporter_id, declared_for, hash, reported_at)
  select $1, mine.id, $5, $6, mine.hash, $7 from mine order by mine.id
  on conflict (tenant_id, tool_id, reporter_id, declared_for) do update set hash = excluded.hash, reported_at = excluded.reported_at
  where r.reported_at <= excluded.reported_at`

/** Notes that a reporter declared definitions that are known. Leaves out others. One statement for all of them. */
export async function noteDeclared(
  tx: Tx,
  environmentId: string,
  { id, declaredFor, agentId }: Reporter,
  declared: readonly Declared[],
  now: string,
): Promise<void> {
  const columns = [declared.map(({ tool }) => tool), declared.map(({ hash }) => hash)]
  const args = declared.map(({ declaredArgs }) => declaredArgs)
  await tx.all(raw(noteSeen, [tx.tenantId, environmentId, ...columns, id, declaredFor, now, agentId === null, args]))
}

// The lateral join finds the reports of each tool by the primary key. Without it, PostgreSQL joined the tables the other way round where they
// had no statistics yet, and the first report of 354 tools took 43 seconds.
const forgetReports = `with named as materialized (
    select t.id, t.pins from tools t where t.tenant_id = $1 and t.environment_id = $2 and t.tool = any($3::text[])),
  old as materialized (
    select named.id as tool_id, x.declared_for from named cross join lateral (
      select r.declared_for from tool_reports r where r.tenant_id = $1 and r.tool_id = named.id and r.reporter_id = $4
      order by (r.hash = any(named.pins)), r.reported_at desc, r.declared_for offset ${mostDeclaredFor}) x)
  delete from tool_reports r using old
  where r.tenant_id = $1 and r.tool_id = old.tool_id and r.reporter_id = $4 and r.declared_for = old.declared_for`

/** Deletes what a reporter declared for many agents: of each tool, declarations of pinned definitions first, then the oldest. */
export async function forgetDeclared(tx: Sql, environmentId: string, tools: readonly string[], reporterId: string) {
  await tx.all(raw(forgetReports, [tx.tenantId, environmentId, tools, reporterId]))
}

/** Locks the environment against its deletion until the transaction ends. */
export async function lockEnvironment(tx: Tx, environmentId: string): Promise<boolean> {
  const text = 'select 1 from environments where tenant_id = $1 and id = $2 for key share'
  return (await tx.maybe(raw(text, [tx.tenantId, environmentId]))) !== undefined
}

/** A definition that is new for its tool. */
export interface NewDefinition {
  tool: string
  hash: string
  text: string
  title: string | null
  description: string | null
  warnings: readonly ToolWarning[]
  declaredArgs: string | null
}

/** A tool that is new in its environment. */
export interface NewTool extends NewDefinition {
  id: string
  name: string
  labels: readonly string[]
}

const insertNew = `insert into tools (tenant_id, id, environment_id, tool, server, name, title, description, latest_hash, labels, changed_in,
    agent_id, first_seen_at, last_seen_at)
  select $1, n.id, $2, n.tool, $3, n.name, n.title, n.description, n.hash, string_to_array(n.labels, ','), $4, $13::uuid, $5, $5
  from unnest($6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[])
    as n (id, tool, name, title, description, hash, labels)
  order by n.id`

interface NewToolsOf {
  environmentId: string
  server: string
  version: number
  agentId: string | null
  now: string
}

/** Inserts tools of one server. The inventory is locked. */
export async function insertTools(
  tx: Tx,
  { environmentId, server, version, agentId, now }: NewToolsOf,
  tools: readonly NewTool[],
): Promise<void> {
  const column = <K extends keyof NewTool>(name: K) => tools.map((tool) => tool[name])
  const columns = [column('id'), column('tool'), column('name'), column('title'), column('description'), column('hash')]
  const labels = tools.map((tool) => tool.labels.join(','))
  await tx.all(raw(insertNew, [tx.tenantId, environmentId, server, version, now, ...columns, labels, agentId]))
}

const lockTools = `select id, tool from tools where tenant_id = $1 and environment_id = $2 and tool = any($3::text[])
  order by id for no key update`
const insertDefinitions = `insert into tool_definitions (tenant_id, tool_id, hash, definition, warnings, declared_args, agent_id, first_seen_at,
    last_seen_at)
  select $1, n.tool_id, n.hash, n.definition, n.warnings, n.declared_args, $7::uuid, $2, $2
  from unnest($3::uuid[], $4::text[], $5::text[], $6::jsonb[], $8::jsonb[]) as n (tool_id, hash, definition, warnings, declared_args)
  order by n.tool_id on conflict (tenant_id, tool_id, hash) do nothing returning tool_id as "toolId"`
const showLatest = `update tools t set latest_hash = n.hash, title = n.title, description = n.description
  from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as n (id, hash, title, description)
  where t.tenant_id = $1 and t.id = n.id`
// Usually no tool has too many definitions, and then only the counts are read.
const forgetOld = `with crowded as materialized (select x.tool_id from tool_definitions x
    where x.tenant_id = $1 and x.tool_id = any($2::uuid[]) group by x.tool_id having count(*) > ${keptDefinitions}),
  old as materialized (
    select x.tool_id, x.hash, row_number() over (
      partition by x.tool_id order by x.hash = t.latest_hash desc, x.agent_id is null desc, x.first_seen_at desc, x.hash) as place,
      x.hash = any(t.pins) as is_pinned
    from crowded c join tools t on t.tenant_id = $1 and t.id = c.tool_id
      join tool_definitions x on x.tenant_id = $1 and x.tool_id = c.tool_id)
  delete from tool_definitions d using old
  where d.tenant_id = $1 and d.tool_id = old.tool_id and d.hash = old.hash and old.place > ${keptDefinitions} and not old.is_pinned
  returning octet_length(d.definition) as bytes`

/**
 * Stores definitions that are new for their tools, and shows them as the latest ones. Of a tool with too many definitions, those that only agents
 * with keys of their own reported are deleted first. Returns the names of tools whose definition was really new, because another request may have
 * stored the same, and how many bytes the inventory gained.
 */
export async function storeDefinitions(
  tx: Tx,
  environmentId: string,
  definitions: readonly NewDefinition[],
  { agentId, now }: { agentId: string | null; now: string },
): Promise<{ changed: string[]; bytes: number }> {
  const names = definitions.map(({ tool }) => tool)
  const locked = await tx.all(raw<{ id: string; tool: string }>(lockTools, [tx.tenantId, environmentId, names]))
  const ids = new Map(locked.map(({ tool, id }) => [tool, id]))
  const known = definitions.filter(({ tool }) => ids.has(tool))
  const idOf = ({ tool }: NewDefinition) => ids.get(tool) as string
  const stored = await tx.all(
    raw<{ toolId: string }>(insertDefinitions, [
      tx.tenantId,
      now,
      known.map(idOf),
      known.map(({ hash }) => hash),
      known.map(({ text }) => text),
      known.map(({ warnings }) => JSON.stringify(warnings)),
      agentId,
      known.map(({ declaredArgs }) => declaredArgs),
    ]),
  )
  const isStored = new Set(stored.map(({ toolId }) => toolId))
  const added = known.filter((definition) => isStored.has(idOf(definition)))
  const column = (of: (definition: NewDefinition) => string | null) => added.map(of)
  const latest = [
    column(idOf),
    column(({ hash }) => hash),
    column(({ title }) => title),
    column(({ description }) => description),
  ]
  await tx.all(raw(showLatest, [tx.tenantId, ...latest]))
  const forgotten = await tx.all(raw<{ bytes: number }>(forgetOld, [tx.tenantId, column(idOf)]))
  const bytes = sum(added.map(({ text }) => Buffer.byteLength(text))) - sum(forgotten.map((one) => one.bytes))
  return { changed: added.map(({ tool }) => tool), bytes }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
