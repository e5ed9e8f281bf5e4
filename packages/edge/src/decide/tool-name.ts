import { parseToolName } from '@mandate/policy/pattern'

// Beyond what a pattern's segment may hold, `%XX` for a byte that it may not: `*` covers it.
const segment = /^(?:[A-Za-z0-9_.-]|%[0-9A-F]{2})+$/
const longestName = 300

/** Whether rules can speak of a tool: its name is `kind:segment/segment`, and long enough names are cut nowhere. */
export function isToolName(tool: string): boolean {
  if (tool.length > longestName) return false
  const name = parseToolName(tool)
  return name !== null && segment.test(name.namespace) && segment.test(name.operation)
}

/** A tool's name as it can be recorded: at most 300 characters, and nothing a database refuses. */
export function recordable(tool: string): string {
  const text = [...tool.toWellFormed().replaceAll('\0', '\u{fffd}')].slice(0, longestName).join('')
  return text === '' ? '(none)' : text
}
