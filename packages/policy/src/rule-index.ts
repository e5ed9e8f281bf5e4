import type { CompiledRule } from './compile-rule.ts'
import { isLiteral, matchesName, type Pattern, parseToolName, type ToolName } from './pattern.ts'

/** A pattern of a rule. `rank` is the position of the rule in the evaluation order. */
type Entry = { rank: number; rule: CompiledRule; pattern: Pattern }

/**
 * Patterns, grouped by where they have a star. Each pattern is in one list. Lists are sorted by rank.
 * - `exact`: no star, such as `mcp:files/read`.
 * - `byNamespace`: a star only in the operation, such as `mcp:files/*`.
 * - `byKind`: a star in the namespace, such as `mcp:*-files/read`.
 * - `any`: the pattern `*`.
 */
export type RuleIndex = {
  exact: Map<string, Entry[]>
  byNamespace: Map<string, Entry[]>
  byKind: Map<string, Entry[]>
  any: Entry[]
}

/** Indexes rules, which must be in evaluation order. */
export function indexRules(rules: readonly CompiledRule[]): RuleIndex {
  const index: RuleIndex = { exact: new Map(), byNamespace: new Map(), byKind: new Map(), any: [] }
  for (const [rank, rule] of rules.entries()) {
    for (const pattern of rule.patterns) listFor(index, pattern).push({ rank, rule, pattern })
  }
  return index
}

/**
 * Calls `accept` for each rule that matches the tool, in rank order, and returns the first result that is not null.
 * Calls `accept` several times for a rule with several matching patterns.
 */
export function firstMatch<T>(index: RuleIndex, tool: string, accept: (rule: CompiledRule) => T | null): T | null {
  const name = parseToolName(tool)
  const lists = listsOf(index, tool, name)
  const cursors = [0, 0, 0, 0]
  for (;;) {
    let chosen = -1
    let entry: Entry | undefined
    for (let list = 0; list < lists.length; list++) {
      const head = lists[list]![cursors[list]!]
      if (head !== undefined && (entry === undefined || head.rank < entry.rank)) {
        entry = head
        chosen = list
      }
    }
    if (entry === undefined) return null
    cursors[chosen]!++
    if (!matchesName(entry.pattern, name)) continue
    const answer = accept(entry.rule)
    if (answer !== null) return answer
  }
}

function listsOf(index: RuleIndex, tool: string, name: ToolName | null): Entry[][] {
  const lists: Entry[][] = []
  if (name !== null) {
    const exact = index.exact.get(tool)
    if (exact !== undefined) lists.push(exact)
    const byNamespace = index.byNamespace.get(tool.slice(0, name.kind.length + 1 + name.namespace.length))
    if (byNamespace !== undefined) lists.push(byNamespace)
    const byKind = index.byKind.get(name.kind)
    if (byKind !== undefined) lists.push(byKind)
  }
  if (index.any.length > 0) lists.push(index.any)
  return lists
}

function listFor(index: RuleIndex, pattern: Pattern): Entry[] {
  if (pattern.any) return index.any
  if (!isLiteral(pattern.namespace)) return listAt(index.byKind, pattern.kind)
  if (!isLiteral(pattern.operation)) return listAt(index.byNamespace, `${pattern.kind}:${pattern.namespace.text}`)
  return listAt(index.exact, pattern.text)
}

function listAt(lists: Map<string, Entry[]>, key: string): Entry[] {
  let list = lists.get(key)
  if (list === undefined) {
    list = []
    lists.set(key, list)
  }
  return list
}
