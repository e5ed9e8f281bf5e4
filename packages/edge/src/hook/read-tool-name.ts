import { escapeSegment } from '@mandate/contract/fields/mcp-tool-name'
import { mostReadings } from '../guard/guard.ts'

/**
 * Returns the possible names in policies of a tool that a coding agent reports. The coding agent reports a tool of an MCP
 * server as `mcp__<server>__<tool>`. The names of servers and tools may contain `__` too. So each `__` may be the separator,
 * and gives one possible name. Any other tool has one name, in `namespace`.
 * @throws if there are too many possible separators, or if the name is not valid Unicode
 */
export function readToolName(name: string, namespace: string): readonly [string, ...string[]] {
  if (!name.isWellFormed()) throw new Error('The name of the tool is not valid Unicode')
  const [first, ...others] = name.startsWith('mcp__') ? readServed(name.slice('mcp__'.length)) : []
  if (first === undefined) return [`fn:${namespace}/${escapeSegment(name)}`]
  return [first, ...others]
}

const tooManySeparators = `The name of the tool contains "__" more than ${mostReadings} times, so its MCP server is unclear`

function readServed(name: string): string[] {
  const found: string[] = []
  for (let at = name.indexOf('__', 1); at !== -1 && at + 2 < name.length; at = name.indexOf('__', at + 1)) {
    if (found.length === mostReadings) throw new Error(tooManySeparators)
    found.push(`mcp:${escapeSegment(name.slice(0, at))}/${escapeSegment(name.slice(at + 2))}`)
  }
  return found
}
