/** The settings for tool pinning of an environment. */
export const toolPinnings = ['off', 'alert', 'enforce'] as const
export type ToolPinning = (typeof toolPinnings)[number]

/** The states of a tool, also as values of `tool.state` in conditions. */
export const toolStates = ['new', 'pinned', 'changed', 'blocked'] as const
export type ToolState = (typeof toolStates)[number]

/** Labels that the product gives at first sight. People may give others. */
export const knownToolLabels = ['untrusted_output', 'sensitive_output', 'external_write', 'destructive'] as const

/** Returns the labels of a tool at first sight, by the defaults that MCP gives for absent annotations. Sorted. */
export function firstLabels({
  annotations = {},
}: {
  annotations?: Readonly<Record<string, unknown>> | undefined
}): string[] {
  const hint = (name: string) => (Object.hasOwn(annotations, name) ? annotations[name] : undefined)
  const labels = []
  if (hint('destructiveHint') !== false && hint('readOnlyHint') !== true) labels.push('destructive')
  if (hint('openWorldHint') !== false) labels.push('untrusted_output')
  return labels
}

/** What an inspection finds in the definition of a tool. */
export const toolWarningTypes = [
  'hidden_characters',
  'instruction_like',
  'names_other_tool',
  'contains_url',
  'shadows',
  'unannotated',
] as const
export type ToolWarningType = (typeof toolWarningTypes)[number]
