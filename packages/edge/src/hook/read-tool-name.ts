import { mostReadings } from '../guard/guard.ts'
import { escapeSegment } from '../mcp/mediation/tool-name.ts'

/**
 * What policies may know a coding agent's tool as. Servers' tools are named `mcp__<server>__<tool>`, others belong to
 * `namespace`. Names of servers and tools may hold `__` themselves, so that each one may be what parts them.
 * @throws on a name of too many readings, and on one that is no text
 */
export function readToolName(name: string, namespace: string): readonly [string, ...string[]] {
  if (!name.isWellFormed()) throw new Error('The name of the tool is no text')
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
