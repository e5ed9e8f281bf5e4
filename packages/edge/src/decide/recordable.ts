import { longestToolName } from '@mandate/policy/tool-name'

/** Shortens a tool name for records: at most 300 characters, without characters that a database refuses. */
export function recordable(tool: string): string {
  const text = [...tool.toWellFormed().replaceAll('\0', '\u{fffd}')].slice(0, longestToolName).join('')
  return text === '' ? '(none)' : text
}
