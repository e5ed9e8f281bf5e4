import type { Tx } from '../../../db/database.ts'
import type { KnownNames } from '../../../memory/decision-memory.ts'
import { findKnownKinds, findKnownTools, findPolicies, lockNewNames, storeNewNames } from '../counts/count-queries.ts'
import { bucketOf } from '../records/count-decisions.ts'
import type { FiledRecord } from '../records/filed-record.ts'
import { type Kind, KindsOfBatch, otherTool } from '../records/kinds.ts'

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
 * decision counts as `other`, without its rule. Call `remember` after the commit.
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
  const found = await findStoredNames(tx, tools, kindIds)
  if (wanted.every(({ kind }) => known.has(tenantId, kind.id) || found.has(kind.id)))
    return { counted: wanted, remember: () => known.add(tenantId, found) }

  const day = bucketOf(now, 'day')
  const used = await lockNewNames(tx, day)
  // Another batch may have stored the same names before this batch got the lock.
  const stored = await findStoredNames(tx, tools, kindIds)
  const isStored = (name: string) => known.has(tenantId, name) || stored.has(name)
  const newTools = tools.filter((tool) => !isStored(tool)).slice(0, Math.max(0, newToolsPerDay - used.tools))
  const admitted = new Set(newTools)
  const countable = wanted.map(({ filed, kind }) => {
    return { filed, kind: isStored(kind.tool) || admitted.has(kind.tool) ? kind : kinds.withTool(kind, otherTool) }
  })
  const newKinds = uniqueKinds(countable.map(({ kind }) => kind)).filter(({ id }) => !isStored(id))
  const storable = newKinds.slice(0, Math.max(0, newKindsPerDay - used.kinds))
  const others = await otherKinds(tx, kinds, newKinds.slice(storable.length))
  const counted = countable.map(({ filed, kind }) => ({ filed, kind: others.get(kind.id) ?? kind }))
  // Every kind needs the kind that counts its environment, effect and mode.
  const needed = uniqueKinds([...others.values(), ...counted.map(({ kind }) => kinds.total(kind))])
  const ids = needed.map(({ id }) => id)
  const storedNeeded = await findStoredNames(tx, [], ids)
  const added = uniqueKinds([...storable, ...needed.filter(({ id }) => !storedNeeded.has(id))])
  await storeNewNames(tx, day, newTools, added)
  const names = [...stored, ...newTools, ...ids, ...added.map(({ id }) => id)]
  return { counted, remember: () => known.add(tenantId, names) }
}

/** Returns the kinds that count calls instead of kinds that cannot be stored, by the id of these kinds. A policy of the tenant is still counted. */
async function otherKinds(tx: Tx, kinds: KindsOfBatch, left: readonly Kind[]): Promise<Map<string, Kind>> {
  if (left.length === 0) return new Map()
  const policies = new Set(await findPolicies(tx, unique(left.flatMap(({ policyId }) => policyId ?? []))))
  const policyOf = ({ policyId }: Kind) => (policyId !== null && policies.has(policyId) ? policyId : null)
  return new Map(left.map((kind) => [kind.id, kinds.other(kind, policyOf(kind))]))
}

/** Returns those of the tools and of the ids of kinds that are stored. */
async function findStoredNames(tx: Tx, tools: readonly string[], kindIds: readonly string[]): Promise<Set<string>> {
  const found = await Promise.all([findKnownTools(tx, tools), findKnownKinds(tx, kindIds)])
  return new Set(found.flat())
}

const unique = (values: readonly string[]) => [...new Set(values)]
const uniqueKinds = (kinds: readonly Kind[]) => [...new Map(kinds.map((kind) => [kind.id, kind])).values()]
