import type { Guard } from '../../guard/guard.ts'
import type { OfferedTool } from './filter-tools.ts'
import { MirroredTools } from './mirrored-tools.ts'
import { ToolSchemas } from './tool-schemas.ts'

const maxTools = 1000
/** The server of a tool name in policies, `mcp:<server>/<tool>`. */
const serverOf = (tool: string) => tool.slice('mcp:'.length, tool.indexOf('/'))

/**
 * Collects the tools of the tool servers whose calls one guard decides. Attests the tools: reports to the control plane that
 * every call of these tools goes through the guard. Attests at most 1,000 tools.
 */
export class OfferedTools {
  /** The declared arguments of all listed tools. */
  readonly schemas = new ToolSchemas()
  /** The tool arguments that clients must repeat in HTTP headers, as declared in the latest tool lists of the servers. */
  readonly mirrored = new MirroredTools()
  private readonly guard: Guard
  private readonly tools = new Set<string>()
  private readonly servers = new Set<string>()

  constructor(guard: Guard, servers: readonly string[]) {
    this.guard = guard
    for (const server of servers) this.servers.add(`mcp:${server}`)
    this.attest()
  }

  /** Replaces the servers. Forgets the tools of servers that were removed or changed. */
  replaceServers(servers: readonly string[], changed: readonly string[]): void {
    this.servers.clear()
    for (const server of servers) this.servers.add(`mcp:${server}`)
    const kept = new Set(servers.filter((server) => !changed.includes(server)).map((server) => `mcp:${server}`))
    const isGone = (tool: string) => !kept.has(tool.split('/')[0] ?? '')
    for (const name of this.tools) if (isGone(name)) this.tools.delete(name)
    this.schemas.forget(isGone)
    this.mirrored.forget(isGone)
    this.attest()
  }

  note(tools: readonly OfferedTool[]): void {
    const before = this.tools.size
    this.schemas.note(tools)
    this.mirrored.note(tools)
    this.report(tools)
    for (const { name } of tools) if (this.tools.size < maxTools) this.tools.add(name)
    if (this.tools.size > before) this.attest()
  }

  private report(tools: readonly OfferedTool[]): void {
    const [first] = tools
    const definitions = tools.flatMap(({ definition }) => definition ?? [])
    if (first && definitions.length > 0) this.guard.noteTools(serverOf(first.name), definitions)
  }

  private attest(): void {
    this.guard.attest({ mode: 'full', tools: [...this.tools].sort(), mediationPoints: [...this.servers].sort() })
  }
}
