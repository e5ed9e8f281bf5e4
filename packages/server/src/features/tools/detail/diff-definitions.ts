import type { ToolDifference } from '@mandate/contract/tools'
import { cutText, shortenText } from '../../../text/cut-text.ts'

/** Maximum number of places that a comparison lists. */
const mostDifferences = 200
const mostText = 2_000
const mostPath = 500

type Json = unknown
const isBranch = (value: Json): value is Record<string, Json> => typeof value === 'object' && value !== null

/** Returns the places in which two definitions differ. Lists are compared place by place. */
export function diffDefinitions(before: Json, after: Json): ToolDifference[] {
  const differences: ToolDifference[] = []
  compare(before, after, '', differences)
  return differences
}

// Definitions have at most 64 levels.
function compare(before: Json, after: Json, path: string, found: ToolDifference[]): void {
  if (found.length >= mostDifferences || before === after) return
  if (isBranch(before) && isBranch(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(own(before, key), own(after, key), cutText(path ? `${path}/${key}` : key, mostPath), found)
    return
  }
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  found.push({ path, change, from: shown(before), to: shown(after) })
}

const own = (value: Record<string, Json>, key: string) => (Object.hasOwn(value, key) ? value[key] : undefined)

function shown(value: Json): string | null {
  if (value === undefined) return null
  return shortenText(typeof value === 'string' ? value : JSON.stringify(value), mostText)
}
