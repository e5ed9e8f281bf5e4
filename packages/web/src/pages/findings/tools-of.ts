import type { Schema } from '@mandate/sdk'

/** The tools that the evidence of `tool_definition_changed` names, each once. */
export function toolsOf({
  type,
  evidence,
}: Pick<Schema<'Finding'>, 'type' | 'evidence'>): { id: string; tool: string }[] {
  if (type !== 'tool_definition_changed' || !Array.isArray(evidence.items)) return []
  const named = (evidence.items as Record<string, unknown>[]).flatMap(({ tool_id: id, tool }) =>
    typeof id === 'string' && typeof tool === 'string' ? [[id, { id, tool }] as const] : [],
  )
  return [...new Map(named).values()]
}
