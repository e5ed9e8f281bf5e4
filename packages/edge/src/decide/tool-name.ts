import { parseToolName } from '@mandate/policy/pattern'

// One segment of a tool name. `%XX` is the escaped byte of another character. A pattern cannot contain `%XX`, so only its `*`
// matches `%XX`.
const segment = /^(?:[A-Za-z0-9_.-]|%[0-9A-F]{2})+$/
const longestName = 300

/** Whether rules can match the tool name: it has the form `kind:segment/segment` and is not too long. */
export function isToolName(tool: string): boolean {
  if (tool.length > longestName) return false
  const name = parseToolName(tool)
  return name !== null && segment.test(name.namespace) && segment.test(name.operation)
}

/** Shortens a tool name for records: at most 300 characters, without characters that a database refuses. */
export function recordable(tool: string): string {
  const text = [...tool.toWellFormed().replaceAll('\0', '\u{fffd}')].slice(0, longestName).join('')
  return text === '' ? '(none)' : text
}
