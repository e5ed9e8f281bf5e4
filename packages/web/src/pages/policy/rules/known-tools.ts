/** A tool that was called, or a pattern for all tools of one place. */
export interface KnownTool {
  pattern: string
  calls: number
}

interface UsageRow {
  key: string
  allow: number
  deny: number
  require_approval: number
}

/** Turns the counts by tool into patterns: each tool, and after its first tool each place with several tools. */
export function knownTools(rows: readonly UsageRow[]): KnownTool[] {
  const tools = rows
    .filter(({ key }) => key.includes(':'))
    .map(({ key, allow, deny, require_approval }) => ({ pattern: key, calls: allow + deny + require_approval }))
  const places = new Map<string, { calls: number; tools: number }>()
  for (const { pattern, calls } of tools) {
    const place = placeOf(pattern)
    const sum = places.get(place) ?? { calls: 0, tools: 0 }
    places.set(place, { calls: sum.calls + calls, tools: sum.tools + 1 })
  }
  const several = [...places].flatMap(([place, sum]) =>
    sum.tools > 1 ? [{ pattern: `${place}/*`, calls: sum.calls }] : [],
  )
  return [...several, ...tools]
}

const placeOf = (tool: string) => tool.slice(0, tool.indexOf('/') < 0 ? tool.length : tool.indexOf('/'))
