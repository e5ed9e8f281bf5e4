import type { Call, Effect, PolicyDocument } from '../../packages/policy/src/types.ts'

/** A rule in a form that both engines can say. */
interface Case {
  effect: Extract<Effect, 'allow' | 'deny'>
  server: string
  /** Null: every tool of the server. */
  tool: string | null
  /** A rule that holds only for amounts above it; null: for all. */
  above: number | null
}

const toolsAServer = 10

/**
 * The rules of a fleet: each about a tool of one of its servers, every fourth about a whole server. A third deny, above an
 * amount; of the rest every other holds above an amount only. The same for the same count.
 */
export function makeCases(count: number): Case[] {
  return Array.from({ length: count }, (_, n) => {
    const denies = n % 3 === 0
    return {
      effect: denies ? 'deny' : 'allow',
      server: `server${Math.floor(n / toolsAServer)}`,
      tool: n % 4 === 3 ? null : `tool${n % toolsAServer}`,
      above: denies ? 500 + scatter(n, 500) : n % 2 === 0 ? scatter(n, 500) : null,
    }
  })
}

/** Calls of the tools that the rules are about, evenly, and of one server that none is about. */
export function makeCalls(rules: number, count: number): Call[] {
  const servers = Math.ceil(rules / toolsAServer) + 1
  return Array.from({ length: count }, (_, n) => ({
    tool: `mcp:server${scatter(n, servers)}/tool${scatter(n + 1, toolsAServer)}`,
    args: { amount: scatter(n + 2, 1000), to: 'someone' },
    agent: { id: `agent${n % 50}`, framework: 'framework' },
    environment: { slug: 'production' },
  }))
}

/** A number below `limit` that looks like chance and is the same each time. */
function scatter(n: number, limit: number): number {
  const mixed = Math.imul((n + 1) ^ ((n + 1) >>> 3), 0x9e3779b1) >>> 0
  return (Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 8) % limit
}

export function asDocument(cases: Case[]): PolicyDocument {
  const rules = cases.map(({ effect, server, tool, above }, n) => ({
    id: `rule${n}`,
    name: `rule ${n}`,
    priority: n,
    enabled: true,
    effect,
    match: {
      tools: [`mcp:${server}/${tool ?? '*'}`],
      when: above === null ? [] : [{ path: 'args.amount', op: 'gt' as const, value: above }],
    },
    reason: '',
  }))
  return { default_effect: 'deny', rules }
}

/** The same in Cedar's language: a tool is a resource, its server the resource's parent. */
export function asCedar(cases: Case[]): string {
  return cases
    .map(({ effect, server, tool, above }) => {
      const resource = tool === null ? `resource in Server::"${server}"` : `resource == Tool::"${server}/${tool}"`
      const when = above === null ? '' : ` when { context.args.amount > ${above} }`
      return `${effect === 'allow' ? 'permit' : 'forbid'} (principal, action == Action::"call", ${resource})${when};`
    })
    .join('\n')
}

/** A call as Cedar takes it, to a policy set that it has parsed before. */
export function asCedarCall(call: Call, preparsedPolicySetId: string) {
  const name = call.tool.slice('mcp:'.length)
  const resource = { type: 'Tool', id: name }
  const server = { type: 'Server', id: name.split('/')[0] as string }
  return {
    principal: { type: 'Agent', id: (call.agent as { id: string }).id },
    action: { type: 'Action', id: 'call' },
    resource,
    context: { args: call.args, environment: call.environment },
    entities: [{ uid: resource, attrs: {}, parents: [server] }],
    preparsedPolicySetId,
  }
}
