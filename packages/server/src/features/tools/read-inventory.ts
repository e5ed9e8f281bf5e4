import { declaredArguments } from '@mandate/policy/declared-arguments'
import { type InventoryEntry, unknownTool as unknownEntry } from '@mandate/policy/types'
import type { Sql } from '../../db/database.ts'
import { findEntries, findLatestDefinitions } from './tool-queries.ts'

/** What the inventory says of a tool. */
export interface KnownTool {
  /** The labels and the state. */
  inventory: InventoryEntry
  /** The names of the arguments that the tool declares. Null if they are not known. */
  declaredArgs: ReadonlySet<string> | null
}

const unknownTool: KnownTool = { inventory: unknownEntry, declaredArgs: null }

/**
 * Reads tools from the inventory of an environment, with one statement. Returns a function from the name of a tool to what was read. A tool that
 * the inventory does not have gets no labels and the state `new`. Declared arguments are known if an edge reported the definition, and nobody
 * declares another one.
 */
export async function readEntries(
  db: Sql,
  environmentId: string,
  tools: readonly string[],
  now: string,
): Promise<(tool: string) => KnownTool> {
  const known = new Map<string, KnownTool>()
  for (const { tool, labels, state, declared_args: declared } of await findEntries(
    db,
    environmentId,
    [...new Set(tools)],
    now,
  ))
    known.set(tool, { inventory: { labels: new Set(labels), state }, declaredArgs: declared && new Set(declared) })
  return (tool) => known.get(tool) ?? unknownTool
}

/** Reads tools like `readEntries`, but the declared arguments from the latest definitions. For few tools, because definitions are long. */
export async function readInventory(
  db: Sql,
  environmentId: string,
  tools: readonly string[],
  now: string,
): Promise<(tool: string) => KnownTool> {
  const names = [...new Set(tools)]
  const [entryOf, definitions] = await Promise.all([
    readEntries(db, environmentId, names, now),
    findLatestDefinitions(db, environmentId, names),
  ])
  const declared = new Map(definitions.map(({ tool, definition }) => [tool, argumentsOf(definition)]))
  return (tool) => ({ inventory: entryOf(tool).inventory, declaredArgs: declared.get(tool) ?? null })
}

const argumentsOf = (definition: string) =>
  declaredArguments((JSON.parse(definition) as { input_schema?: unknown }).input_schema)
