import { parseToolName } from './pattern.ts'

// One segment of a tool name. `%XX` is the escaped byte of another character. A pattern cannot contain `%XX`, so only its `*`
// matches `%XX`.
const segment = /^(?:[A-Za-z0-9_.-]|%[0-9A-F]{2})+$/
export const longestToolName = 300

/** The reason of the denial. Edges deny every call of a tool with an invalid name, under every policy. */
export const invalidToolName = 'the name of the tool is not valid, so no rule can match it'

/** Whether rules can match the tool name: it has the form `kind:segment/segment` and is not too long. */
export function isToolName(tool: string): boolean {
  if (tool.length > longestToolName) return false
  const name = parseToolName(tool)
  return name !== null && segment.test(name.namespace) && segment.test(name.operation)
}
