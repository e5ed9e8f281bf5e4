import type { Guard } from '../guard/guard.ts'

const maxTools = 1000

/**
 * Keeps what the servers behind one guard offer and attests to it: every call of these tools passes the guard. It says so
 * again only when something is new. Names beyond the first 1,000 are not kept.
 */
export class OfferedTools {
  private readonly guard: Guard
  private readonly tools = new Set<string>()
  private readonly servers = new Set<string>()

  constructor(guard: Guard, servers: readonly string[]) {
    this.guard = guard
    for (const server of servers) this.servers.add(`mcp:${server}`)
    this.attest()
  }

  note(tools: readonly string[]): void {
    const before = this.tools.size
    for (const tool of tools) if (this.tools.size < maxTools) this.tools.add(tool)
    if (this.tools.size > before) this.attest()
  }

  private attest(): void {
    this.guard.attest({ mode: 'full', tools: [...this.tools].sort(), mediationPoints: [...this.servers].sort() })
  }
}
