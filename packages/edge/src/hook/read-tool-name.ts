import { mostReadings } from '../guard/guard.ts'
import { escapeSegment } from '../mcp/mediation/tool-name.ts'

/**
 * Lists the policy names that the tool name of a coding agent may mean. Tools of MCP servers are named
 * `mcp__<server>__<tool>`. Other tools belong to `namespace`. The names of servers and tools may contain `__`, so every `__`
 * may be the separator.
 * @throws if the name can be read in too many ways or is not valid Unicode
 */
export function readToolName(name: string, namespace: string): readonly [string, ...string[]] {
  if (!name.isWellFormed()) throw new Error('The name of the tool is not valid Unicode')
  const [first, ...others] = name.startsWith('mcp__') ? readServed(name.slice('mcp__'.length)) : []
  if (first === undefined) return [`fn:${namespace}/${escapeSegment(name)}`]
  return [first, ...others]
}

function readServed(name: string): string[] {
  const found: string[] = []
  for (let at = name.indexOf('__', 1); at !== -1 && at + 2 < name.length; at = name.indexOf('__', at + 1)) {
    if (found.length === mostReadings) throw new Error('The name of the tool can be read in too many ways')
    found.push(`mcp:${escapeSegment(name.slice(0, at))}/${escapeSegment(name.slice(at + 2))}`)
  }
  return found
}
