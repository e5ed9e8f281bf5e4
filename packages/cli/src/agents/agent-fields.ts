import { pairOf } from '../key-value.ts'

/** The options of an agent that go into its fields as they are. */
export interface AgentFieldOptions {
  description?: string
  framework?: string
  model?: string
  tool?: string[]
  /** Words such as `team=core`. */
  metadata?: string[]
}

/** The fields for these options. A field without an option is undefined, which JSON leaves out. */
export function agentFields({ description, framework, model, tool, metadata }: AgentFieldOptions) {
  return {
    description,
    framework,
    model,
    tools: tool,
    metadata: metadata && Object.fromEntries(metadata.map((word) => pairOf('--metadata', word))),
  }
}
