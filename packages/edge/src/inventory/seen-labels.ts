import { mcpToolName } from '@mandate/contract/fields/mcp-tool-name'
import { firstLabels } from '@mandate/contract/words/tool-words'
import type { Definition } from '../guard/tool-definition.ts'

/** Above this number, the tool that was declared least recently is forgotten. */
const mostTools = 10_000

/** The labels of tools by the definitions that this edge has seen. They count until the inventory knows the tool. */
export class SeenLabels {
  private readonly byTool = new Map<string, ReadonlySet<string>>()
  private readonly byServer = new Map<string, ReadonlySet<string>>()

  /** Notes definitions of a server. As in the inventory, a tool keeps the labels of its earlier definitions. */
  note(server: string, definitions: readonly Definition[]): void {
    for (const { declared } of definitions) {
      const tool = mcpToolName(server, declared.name)
      if (tool === null) continue
      const first = firstLabels(declared)
      const labels = new Set([...(this.byTool.get(tool) ?? []), ...first])
      this.byServer.set(server, new Set([...(this.byServer.get(server) ?? []), ...first]))
      this.byTool.delete(tool)
      this.byTool.set(tool, labels)
      const [oldest] = this.byTool.keys()
      if (oldest !== undefined && this.byTool.size > mostTools) this.byTool.delete(oldest)
    }
  }

  /** Returns the labels of a tool. A tool without a definition that can be reported has the labels that MCP's defaults give. */
  of(tool: string): Iterable<string> {
    return this.byTool.get(tool) ?? firstLabels({})
  }

  /** Returns the labels of all tools of a server. What a server without tools sends may come from anywhere. */
  ofServer(server: string): Iterable<string> {
    return this.byServer.get(server) ?? ['untrusted_output']
  }
}
