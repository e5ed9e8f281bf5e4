import type { DeclaredTool } from '@mandate/contract/tools'

/** What a server declares for a tool, as edges report it. */
export interface Definition {
  readonly declared: DeclaredTool
  /** SHA-256 of the RFC 8785 form of `declared`, as 64 lower-case hexadecimal characters. The control plane computes the same. */
  readonly hash: string
}

/** Hash of a tool's definition. Null if this definition cannot be pinned. Undefined if the edge has no definition of the tool. */
export type SeenDefinition = string | null | undefined
