import { skeletonsOf } from '@mandate/policy/look-alike'
import type { PinSet, ToolPins } from './pin-set.ts'

interface Looks {
  /** The tools that are blocked or have labels, with their names, by the form in which look-alike names are equal. */
  readonly bySkeleton: ReadonlyMap<string, readonly [name: string, tool: ToolPins][]>
  /** Cached results, by name. */
  readonly known: Map<string, readonly ToolPins[]>
}

const mostKnown = 5000
const longestKnown = 300
const looksOfSets = new WeakMap<PinSet, Looks>()

/**
 * Returns the blocked tools and the tools with labels whose names look like `tool`. A server may take both names for the same tool. Returns no tools
 * if `tool` has pins, because a person has reviewed it then.
 */
export function lookAlikes(pins: PinSet, tool: string): readonly ToolPins[] {
  if ((pins.tools.get(tool)?.pins.size ?? 0) > 0) return []
  let looks = looksOfSets.get(pins)
  if (!looks) {
    looks = findLooks(pins)
    looksOfSets.set(pins, looks)
  }
  if (looks.bySkeleton.size === 0) return []
  const known = looks.known.get(tool)
  if (known) return known
  const { bySkeleton } = looks
  const found = new Map(skeletonsOf(tool).flatMap((skeleton) => bySkeleton.get(skeleton) ?? []))
  found.delete(tool)
  const alike = [...found.values()]
  if (looks.known.size >= mostKnown) looks.known.clear()
  if (tool.length <= longestKnown) looks.known.set(tool, alike)
  return alike
}

function findLooks({ tools }: PinSet): Looks {
  const bySkeleton = new Map<string, [string, ToolPins][]>()
  for (const [name, tool] of tools) {
    if (!tool.isBlocked && tool.labels.size === 0) continue
    for (const skeleton of skeletonsOf(name)) {
      const alike = bySkeleton.get(skeleton)
      if (alike) alike.push([name, tool])
      else bySkeleton.set(skeleton, [[name, tool]])
    }
  }
  return { bySkeleton, known: new Map() }
}
