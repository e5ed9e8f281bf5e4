import type { DecisionReplay } from '@mandate/contract/policies/policies'
import type { CompiledPolicy } from '@mandate/policy/evaluate'
import { evaluateTool, type ToolVerdict } from '@mandate/policy/evaluate-tool'
import type { InventoryEntry } from '@mandate/policy/types'
import { readingsOf, type StoredArguments, whyUnknown } from '../../decisions/records/kept-arguments.ts'
import { mostCharacterTests } from '../../decisions/replay/decide-again.ts'
import type { KeptCalls, RecordedKind } from './replay-queries.ts'

export type Replayed = RecordedKind & { verdict: ToolVerdict; kept?: StoredArguments }

export const dependsOnArguments = ({ verdict }: Replayed) => verdict.undecidable.some(isArgument)

const isArgument = (path: string) => path.startsWith('args.')

/**
 * Decides calls again with their kept arguments. Each group of calls with equal kept arguments becomes an entry of its own, and its kind then counts
 * only the other calls. Stops after the maximum of work: the remaining calls stay in their kinds.
 */
export function decideKept(
  kinds: readonly Replayed[],
  kept: readonly KeptCalls[],
  { policy, conditions }: { policy: CompiledPolicy; conditions: number },
  inventoryOf: (kind: RecordedKind) => InventoryEntry | null,
): Replayed[] {
  const byKind = Map.groupBy(kept, ({ kindId }) => kindId)
  let left = mostCharacterTests
  return kinds.flatMap((kind) => {
    let { calls } = kind
    const decided: Replayed[] = []
    for (const one of byKind.get(kind.id) ?? []) {
      left -= JSON.stringify(one.arguments).length * conditions
      if (left < 0) break
      const taken = Math.min(calls, one.calls)
      if (taken === 0) break
      calls -= taken
      const verdict = evaluateTool(policy, kind.tool, inventoryOf(kind), { readings: readingsOf(one.arguments) })
      decided.push({ ...kind, calls: taken, lastAt: one.lastAt, verdict, kept: one.arguments })
    }
    return calls > 0 ? [{ ...kind, calls }, ...decided] : decided
  })
}

/** Most paths that an answer lists with the reasons why their values are not known. */
const mostMissing = 20

/** Says how many calls were decided by kept arguments, and why the values of the others are not known. */
export function argumentsOf(replayed: readonly Replayed[]): DecisionReplay['arguments'] {
  const missing = new Map<string, DecisionReplay['arguments']['missing'][number]>()
  let decided = 0
  for (const { calls, kept, verdict } of replayed) {
    if (kept && verdict.effect !== null) decided += calls
    for (const path of verdict.undecidable.filter(isArgument)) {
      const because = whyUnknown(kept ?? null, path)
      const found = missing.get(`${path} ${because}`) ?? { path, because, calls: 0 }
      missing.set(`${path} ${because}`, { ...found, calls: found.calls + calls })
    }
  }
  const most = [...missing.values()].sort((a, b) => b.calls - a.calls || (a.path < b.path ? -1 : 1))
  return { decided, missing: most.slice(0, mostMissing) }
}
