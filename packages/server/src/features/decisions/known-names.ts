import type { Tx } from '../../db/database.ts'
import type { KnownNames } from '../../decision-memory.ts'
import { bucketOf } from './count-decisions.ts'
import { findKnownKinds, findKnownTools, lockNewNames, storeNewNames } from './count-queries.ts'
import type { FiledRecord } from './filed-record.ts'
import { type Kind, KindsOfBatch, otherTool } from './kinds.ts'

/** New names of tools that a tenant may bring in a day. More are counted as `other`. */
export const newToolsPerDay = 1_000
/** New kinds of decisions that a tenant may bring in a day. Without this limit, invented ids of rules would fill the table. */
export const newKindsPerDay = 10_000

export interface Counted {
  filed: FiledRecord
  kind: Kind
}

/**
 * Returns the kind under which each decision is counted, and stores kinds that are new. When the new names of the day are used up, a
 * decision counts as `other`. Call `remember` after the commit.
 */
export async function admitKinds(
  tx: Tx,
  known: KnownNames,
  filed: readonly FiledRecord[],
  now: string,
): Promise<{ counted: Counted[]; remember(): void }> {
  const { tenantId } = tx
  const kinds = new KindsOfBatch()
  const wanted = filed.map((one) => ({ filed: one, kind: kinds.kindOf(one) }))
  if (wanted.every(({ kind }) => known.has(tenantId, kind.id))) return { counted: wanted, remember() {} }

  const tools = unique(wanted.map(({ kind }) => kind.tool)).filter((tool) => !known.has(tenantId, tool))
  const kindIds = unique(wanted.map(({ kind }) => kind.id)).filter((id) => !known.has(tenantId, id))
  const [storedTools, storedKinds] = await Promise.all([findKnownTools(tx, tools), findKnownKinds(tx, kindIds)])
  const remembered = new Set([...storedTools, ...storedKinds])
  const isStored = (name: string) => known.has(tenantId, name) || remembered.has(name)
  if (wanted.every(({ kind }) => isStored(kind.id)))
    return { counted: wanted, remember: () => known.add(tenantId, remembered) }

  const day = bucketOf(now, 'day')
  const used = await lockNewNames(tx, day)
  const newTools = tools.filter((tool) => !isStored(tool)).slice(0, Math.max(0, newToolsPerDay - used.tools))
  const admitted = new Set(newTools)
  const countable = wanted.map(({ filed, kind }) => {
    return { filed, kind: isStored(kind.tool) || admitted.has(kind.tool) ? kind : kinds.withTool(kind, otherTool) }
  })
  const newKinds = new Map(countable.filter(({ kind }) => !isStored(kind.id)).map(({ kind }) => [kind.id, kind]))
  const storable = [...newKinds.values()].slice(0, Math.max(0, newKindsPerDay - used.kinds))
  for (const { id } of storable) newKinds.delete(id)
  const counted = countable.map(({ filed, kind }) => ({
    filed,
    kind: newKinds.has(kind.id) ? kinds.other(kind) : kind,
  }))
  const others = [...newKinds.values()].map((kind) => kinds.other(kind))
  // Every kind needs the kind that counts its environment, effect and mode.
  const added = uniqueKinds([...storable, ...others, ...counted.map(({ kind }) => kinds.total(kind))])
  await storeNewNames(tx, day, newTools, added)
  const stored = [...remembered, ...newTools, ...added.map(({ id }) => id)]
  return { counted, remember: () => known.add(tenantId, stored) }
}

const unique = (values: readonly string[]) => [...new Set(values)]
const uniqueKinds = (kinds: readonly Kind[]) => [...new Map(kinds.map((kind) => [kind.id, kind])).values()]
