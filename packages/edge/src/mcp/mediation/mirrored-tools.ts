import type { MirroredArgument } from '../messages/mirrored-arguments.ts'
import type { OfferedTool } from './filter-tools.ts'

/**
 * Maximum number of characters that are stored for one server of a client: the names of tools, headers and arguments, plus `overhead` for
 * each name.
 */
const maxCharacters = 16 << 20
const overhead = 64
const none: readonly MirroredArgument[] = []

/** Stores for each tool which of its arguments clients must repeat in HTTP headers. Each server of a client has its own store. */
export class MirroredTools {
  private readonly tools = new Map<string, readonly MirroredArgument[]>()
  private characters = 0
  private isFull = false

  note(tools: readonly OfferedTool[]): void {
    for (const { name, mirrored } of tools) {
      const size = sizeOf(name, mirrored) - sizeOf(name, this.tools.get(name) ?? none)
      if (this.characters + size > maxCharacters) {
        this.isFull = true
        continue
      }
      this.characters += size
      if (mirrored.length > 0) this.tools.set(name, mirrored)
      else this.tools.delete(name)
    }
  }

  /**
   * Returns the arguments that clients must repeat in headers when they call the tool. Returns an empty list for a tool that
   * its server did not list. Returns null if the store was full, so that the tool may be missing.
   */
  of(tool: string): readonly MirroredArgument[] | null {
    return this.tools.get(tool) ?? (this.isFull ? null : none)
  }
}

function sizeOf(name: string, mirrored: readonly MirroredArgument[]): number {
  if (mirrored.length === 0) return 0
  let size = name.length + overhead
  for (const { header, path } of mirrored) {
    size += header.length + overhead
    for (const key of path) size += key.length + overhead
  }
  return size
}
