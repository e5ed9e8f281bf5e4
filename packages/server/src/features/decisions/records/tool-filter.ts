import { parsePattern } from '@mandate/policy/pattern'
import { invalid } from '../../../refusal.ts'

/** A condition on the name of a tool. `exact` and `regex` are null for any tool. */
export interface ToolFilter {
  exact: string | null
  /** Regular expression of PostgreSQL that matches the same names as the pattern. */
  regex: string | null
}

export const anyTool: ToolFilter = { exact: null, regex: null }

/** Parses a pattern of the policy grammar. @throws 400 if it is malformed */
export function readToolFilter(text: string | undefined): ToolFilter {
  if (text === undefined) return anyTool
  const parsed = parsePattern(text)
  if (!parsed.ok) {
    // Names that patterns cannot express are recorded too, so a name without a star is compared as it is.
    if (!text.includes('*')) return { exact: text, regex: null }
    throw invalid(`tool ${parsed.error}`)
  }
  const { pattern } = parsed
  if (pattern.any) return anyTool
  if (!text.includes('*')) return { exact: text, regex: null }
  const globs = [pattern.namespace, pattern.operation].map(({ pieces }) => pieces.map(escaped).join('[^/]*'))
  return { exact: null, regex: `^${pattern.kind}:${globs.join('/')}$` }
}

const escaped = (text: string) => text.replaceAll('.', '\\.')
