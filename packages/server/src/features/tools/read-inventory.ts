import { declaredArguments } from '@mandate/policy/declared-arguments'
import { type InventoryEntry, unknownTool } from '@mandate/policy/types'
import type { Sql } from '../../db/database.ts'
import { findEntries, findLatestDefinitions } from './tool-queries.ts'

/** The labels and the state of a tool, and the arguments that its latest definition declares. */
export interface KnownTool {
  inventory: InventoryEntry
  /** Null if the definition has no schema, or if the tool is unknown. */
  declaredArgs: ReadonlySet<string> | null
}

/**
 * Reads the labels and states of tools from the inventory of an environment, with one statement. Returns a function from the name of a tool to
 * what was read. A tool that the inventory does not have gets no labels and the state `new`.
 */
export async function readEntries(
  db: Sql,
  environmentId: string,
  tools: readonly string[],
  now: string,
): Promise<(tool: string) => InventoryEntry> {
  const known = new Map<string, InventoryEntry>()
  for (const { tool, labels, state } of await findEntries(db, environmentId, [...new Set(tools)], now))
    known.set(tool, { labels: new Set(labels), state })
  return (tool) => known.get(tool) ?? unknownTool
}

/** Reads tools like `readEntries`, and the arguments that their definitions declare. For few tools, because definitions are long. */
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
  return (tool) => ({ inventory: entryOf(tool), declaredArgs: declared.get(tool) ?? null })
}

const argumentsOf = (definition: string) =>
  declaredArguments((JSON.parse(definition) as { input_schema?: unknown }).input_schema)
