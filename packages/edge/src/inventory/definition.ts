import { hash } from 'node:crypto'
import { DeclaredTool, mostDefinitionBytes } from '@mandate/contract/tools'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { Definition } from '../guard/tool-definition.ts'

/**
 * Returns the definition of an entry of a `tools/list` answer. A field with null counts as absent, as clients read it. Returns null if the control plane would refuse it: because a field has another type
 * than MCP allows, or because it is too large.
 */
export function definitionOf(tool: Readonly<Record<string, unknown>>): Definition | null {
  const { success, data } = DeclaredTool.safeParse(withoutAbsent(tool))
  if (!success) return null
  try {
    const canonical = canonicalJson(data)
    if (Buffer.byteLength(canonical) > mostDefinitionBytes) return null
    return { declared: data, hash: hash('sha256', canonical, 'hex') }
  } catch {
    return null
  }
}

function withoutAbsent(tool: Readonly<Record<string, unknown>>): object {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  const named = { name, title, description, input_schema: inputSchema, output_schema: outputSchema, annotations }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value != null))
}
