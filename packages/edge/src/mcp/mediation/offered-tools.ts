import type { Guard } from '../../guard/guard.ts'
import type { OfferedTool } from './filter-tools.ts'
import { MirroredTools } from './mirrored-tools.ts'
import { sharedSource, ToolSchemas } from './tool-schemas.ts'

const maxTools = 1000

interface Declared {
  readonly schemas: ToolSchemas
  /** The tool arguments that clients must repeat in HTTP headers, as declared in the latest tool lists. */
  readonly mirrored: MirroredTools
}

interface Declarer {
  readonly server: string
  readonly source?: string | undefined
}

/**
 * Collects the tools of the tool servers whose calls one guard decides. Attests the tools: reports to the control plane that
 * every call of these tools goes through the guard. Attests at most 1,000 tools.
 */
export class OfferedTools {
  /** By the name of the server. Each server has stores of its own, so that none can fill those of the others. */
  private readonly declared = new Map<string, Declared>()
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
    for (const server of this.declared.keys()) if (isGone(`mcp:${server}`)) this.declared.delete(server)
    this.attest()
  }

  /** What a server declares. */
  of(server: string): Declared {
    const declared = this.declared.get(server) ?? { schemas: new ToolSchemas(), mirrored: new MirroredTools() }
    this.declared.set(server, declared)
    return declared
  }

  /** Notes the tools that a source of a server declared. See `ToolSchemas`. */
  note({ server, source = sharedSource }: Declarer, tools: readonly OfferedTool[]): void {
    const before = this.tools.size
    const { schemas, mirrored } = this.of(server)
    schemas.note(source, tools)
    mirrored.note(tools)
    this.report(server, tools)
    for (const { name } of tools) if (this.tools.size < maxTools) this.tools.add(name)
    if (this.tools.size > before) this.attest()
  }

  private report(server: string, tools: readonly OfferedTool[]): void {
    const definitions = tools.flatMap(({ definition }) => definition ?? [])
    if (definitions.length > 0) this.guard.noteTools(server, definitions)
  }

  private attest(): void {
    this.guard.attest({ mode: 'full', tools: [...this.tools].sort(), mediationPoints: [...this.servers].sort() })
  }
}
