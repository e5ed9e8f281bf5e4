import type { DecisionRecord } from '@mandate/contract/edge'
import { KeptArguments, mostKeptBytes } from '@mandate/contract/kept-arguments'
import { type CompiledPolicy, compilePolicy } from '@mandate/policy/evaluate'
import { argumentsRead } from '@mandate/policy/known-arguments'
import type { Snapshot } from '@mandate/policy/types'
import { contentHash } from '@mandate/proofs/canonical'
import type { Tx } from '../../../db/database.ts'
import type { DecisionMemory } from '../../../memory/decision-memory.ts'
import { findKeepingEnvironments, findVersions, insertArguments } from './kept-queries.ts'
import type { Counted } from './known-names.ts'

/** What edges sent of arguments, by the id of the decision. */
export type SentArguments = ReadonlyMap<string, { digest: string; kept: KeptArguments }>

/** Maximum number of policy versions that one batch reads. The arguments of decisions by further versions are dropped. */
const mostVersions = 50

/** Reads what a batch has of arguments. Leaves out items that are malformed or too large: they must not cost a decision. */
export function readSentArguments(items: readonly Record<string, unknown>[] = []): SentArguments {
  const found = new Map<string, { digest: string; kept: KeptArguments }>()
  for (const item of items) {
    if (Buffer.byteLength(JSON.stringify(item)) > mostKeptBytes) continue
    const { data: kept } = KeptArguments.safeParse(item)
    if (kept) found.set(kept.decision_id, { digest: digestOf(item), kept })
  }
  return found
}

/** Fields that the schema ignores may have no RFC 8785 form. No record has the digest that is returned then. */
function digestOf(item: Record<string, unknown>): string {
  try {
    return contentHash(item)
  } catch {
    return ''
  }
}

/** Returns what was sent of the arguments of a decision. Null if nothing was, or if it is not what the record has the digest of. */
export function sentFor({ decision_id, kept_digest }: DecisionRecord, sent: SentArguments): KeptArguments | null {
  const found = sent.get(decision_id)
  return found !== undefined && found.digest === kept_digest ? found.kept : null
}

/**
 * Stores what is kept of the arguments of new decisions. Drops it if the environment keeps none. Drops paths that the policy version of the
 * decision does not read, because nobody asked for them.
 */
export async function storeArguments(
  tx: Tx,
  memory: DecisionMemory,
  counted: readonly Counted[],
  retentionDays: number,
): Promise<void> {
  const sent = counted.filter(({ filed }) => filed.kept !== null && filed.environmentId !== null)
  if (sent.length === 0) return
  const keeping = await findKeepingEnvironments(
    tx,
    sent.flatMap(({ filed }) => filed.environmentId ?? []),
  )
  const wanted = sent.filter(({ filed }) => keeping.has(filed.environmentId as string))
  const policyOf = await policiesOf(tx, memory, wanted)
  const rows = wanted.flatMap(({ filed, kind }) => {
    const { record, filedAt, environmentId, kept } = filed
    const policy = policyOf(record)
    if (!policy || kept === null || environmentId === null) return []
    const { salt, undeclared, readings } = kept
    const asked = readings.map((reading) => askedPart(policy, record.tool, reading))
    return asked.every((reading) => reading.length === 0)
      ? []
      : { record, filedAt, environmentId, kindId: kind.id, arguments: { salt, undeclared, readings: asked } }
  })
  await insertArguments(tx, rows, retentionDays)
}

type Reading = KeptArguments['readings'][number]

function askedPart(policy: CompiledPolicy, tool: string, reading: Reading): Reading {
  const uses = argumentsRead(policy, tool)
  return reading.flatMap((one) => {
    const use = uses.get(one.path)
    if (use === undefined) return []
    return use === 'existence' && one.state === 'value'
      ? { path: one.path, state: 'not_kept' as const, because: 'not_read' }
      : one
  })
}

/** Returns the policy version of a record, if the record names it with its right content hash. */
async function policiesOf(tx: Tx, memory: DecisionMemory, wanted: readonly Counted[]) {
  const keyOf = ({ policy_id, policy_version, policy_hash }: Named) =>
    `${tx.tenantId} ${policy_id} ${policy_version} ${policy_hash}`
  const named = new Map(wanted.map(({ filed }) => [keyOf(filed.record), filed.record]))
  const known = new Map([...named.keys()].map((key) => [key, memory.readingPolicies.get(key)]))
  const missing = [...named].flatMap(([key, record]) => (known.get(key) ? [] : record)).slice(0, mostVersions)
  for (const { policy_id, policy_version, policy_hash, snapshot } of await findVersions(tx, missing)) {
    const key = keyOf({ policy_id, policy_version, policy_hash })
    const compiled = compilePolicy(readingPart(snapshot))
    memory.readingPolicies.set(key, compiled)
    known.set(key, compiled)
  }
  return (record: Named) => known.get(keyOf(record))
}

type Named = Pick<DecisionRecord, 'policy_id' | 'policy_version' | 'policy_hash'>

/** Only the rules that read arguments, because the memory keeps many policies. */
function readingPart({ default_effect, rules }: Snapshot): Pick<Snapshot, 'default_effect' | 'rules'> {
  return {
    default_effect,
    rules: rules.filter(({ match }) => (match.when ?? []).some(({ path }) => path.startsWith('args.'))),
  }
}
