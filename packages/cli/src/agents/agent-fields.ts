import { pairOf } from '../options/key-value.ts'

/** The command options that set the agent's fields of the same name. */
export interface AgentFieldOptions {
  description?: string
  framework?: string
  model?: string
  tool?: string[]
  /** `key=value` arguments such as `team=core`. */
  metadata?: string[]
}

/** Converts options to the fields of a request body. A field without an option is undefined, so JSON omits it. */
export function agentFields({ description, framework, model, tool, metadata }: AgentFieldOptions) {
  return {
    description,
    framework,
    model,
    tools: tool,
    metadata: metadata && Object.fromEntries(metadata.map((word) => pairOf('--metadata', word))),
  }
}
