import type { PinnedTool } from '@mandate/contract/tools'
import type { ToolPinning } from '@mandate/contract/words/tool-words'
import type { Sql, Tx } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

export interface Inventory {
  version: number
  tools: number
  /** Bytes of all stored definitions. */
  bytes: number
}

const insertFirst = `insert into tool_inventories (tenant_id, environment_id, version, tools) values ($1, $2, 0, 0)
  on conflict (tenant_id, environment_id) do nothing`

/**
 * Locks the inventory of an environment until the transaction ends. Changes of pins, blocks, labels and the number of tools run one at a time.
 * Lock it before tools, and after the environment.
 */
export async function lockInventory(tx: Tx, environmentId: string): Promise<Inventory> {
  const values = [tx.tenantId, environmentId]
  const lock =
    'select version, tools, bytes from tool_inventories where tenant_id = $1 and environment_id = $2 for update'
  const [, inventory] = await Promise.all([tx.all(raw(insertFirst, values)), tx.one(raw<Inventory>(lock, values))])
  return inventory
}

/** Stores the next version of a locked inventory, and how many tools it gained. */
export async function storeVersion(tx: Tx, environmentId: string, version: number, newTools = 0): Promise<void> {
  const text =
    'update tool_inventories set version = $3, tools = tools + $4 where tenant_id = $1 and environment_id = $2'
  await tx.all(raw(text, [tx.tenantId, environmentId, version, newTools]))
}

/** Notes that the definitions of a locked inventory gained or lost bytes, and that it lost tools. */
export async function storeSize(
  tx: Tx,
  environmentId: string,
  { bytes, lostTools = 0 }: { bytes: number; lostTools?: number },
) {
  const text = `update tool_inventories set bytes = greatest(bytes + $3, 0), tools = greatest(tools - $4, 0)
    where tenant_id = $1 and environment_id = $2`
  await tx.all(raw(text, [tx.tenantId, environmentId, bytes, lostTools]))
}

/** Deletes the tools of an environment, with their definitions. */
export async function deleteInventory(tx: Tx, environmentId: string): Promise<void> {
  const values = [tx.tenantId, environmentId]
  await tx.all(raw('delete from tool_inventories where tenant_id = $1 and environment_id = $2', values))
  await tx.all(raw('delete from tools where tenant_id = $1 and environment_id = $2', values))
}

const ofEnvironment = `select e.id, e.tool_pinning as pinning, i.version from environments e
  left join tool_inventories i on i.tenant_id = $1 and i.environment_id = e.id`
const byEnvironment = `${ofEnvironment} where e.tenant_id = $1 and e.id = $2`
const byAgent = `${ofEnvironment} where e.tenant_id = $1
  and e.id = (select a.environment_id from agents a where a.tenant_id = $1 and a.id = $2)`

/** The environment of an edge or an agent, and the state of its inventory. `version` is null if it has none. */
export interface Place {
  id: string
  pinning: ToolPinning
  version: number | null
}

export function findPlace(db: Sql, of: { environmentId: string } | { agentId: string }) {
  const statement =
    'environmentId' in of
      ? raw<Place>(byEnvironment, [db.tenantId, of.environmentId])
      : raw<Place>(byAgent, [db.tenantId, of.agentId])
  return db.maybe(statement)
}

export interface PinPlace {
  changedIn: number
  id: string
}

const changedSince = `select id, changed_in as "changedIn", tool, block_reason is not null as blocked, pins, labels from tools
  where tenant_id = $1 and environment_id = $2 and (changed_in, id) > ($3::int, $4::uuid)
  order by changed_in, id limit $5`

/** Returns the tools that changed after a place, in the order of their change. */
export function findChangedTools(db: Sql, environmentId: string, { changedIn, id }: PinPlace, most: number) {
  return db.all(raw<PinnedTool & PinPlace>(changedSince, [db.tenantId, environmentId, changedIn, id, most]))
}
