import { type Call, type Effect, noUses, type PolicyDocument } from '../../packages/policy/src/types.ts'

/** A rule that both engines can express. */
interface Case {
  effect: Extract<Effect, 'allow' | 'deny'>
  server: string
  /** Null for every tool of the server. */
  tool: string | null
  /** The rule matches only amounts above this. Null for all amounts. */
  above: number | null
}

const toolsAServer = 10

/**
 * Creates rules for tools of several servers; every fourth rule is for a whole server. A third of the rules deny calls above an
 * amount. Half of the others allow only calls above an amount. The same count always gives the same rules.
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

/** Creates calls that are spread evenly over the tools of the rules, and over one server without rules. */
export function makeCalls(rules: number, count: number): Call[] {
  const servers = Math.ceil(rules / toolsAServer) + 1
  return Array.from({ length: count }, (_, n) => ({
    tool: `mcp:server${scatter(n, servers)}/tool${scatter(n + 1, toolsAServer)}`,
    args: { amount: scatter(n + 2, 1000), to: 'someone' },
    agent: { id: `agent${n % 50}`, framework: 'framework' },
    environment: { slug: 'production' },
  }))
}

/** A pseudorandom number below `limit` that depends only on `n`. */
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

/**
 * The same rules with what Cedar does not know: after each fourth rule, one that asks for labels of the session and of the tool, and a limit on
 * each rule that allows.
 */
export function asDocumentWithSession(cases: Case[]): PolicyDocument {
  const { default_effect, rules } = asDocument(cases)
  const flows = rules.filter((_, n) => n % 4 === 0)
  return {
    default_effect,
    rules: [
      ...rules.map((rule) =>
        rule.effect === 'allow' ? { ...rule, limit: { count: 1_000_000, window_s: 3_600 } } : rule,
      ),
      ...flows.map((rule) => ({
        ...rule,
        id: `flow of ${rule.id}`,
        priority: rule.priority - 0.5,
        effect: 'require_approval' as const,
        match: {
          tools: rule.match.tools,
          when: [
            { path: 'session.labels', op: 'has' as const, value: 'untrusted_output' },
            { path: 'tool.labels', op: 'has' as const, value: 'external_write' },
          ],
        },
      })),
    ],
  }
}

/** The same call in a session, with the labels that the inventory has of its tool, and without earlier uses of rules. */
export function inSession(call: Call, n: number): Call {
  return {
    ...call,
    session: { labels: new Set(n % 2 === 0 ? ['untrusted_output'] : []), calls: n % 100 },
    inventory: { labels: new Set(n % 3 === 0 ? ['external_write'] : ['sensitive_output']), state: 'pinned' },
    uses: noUses,
  }
}

/** Writes the rules in Cedar. A tool is a resource, and its server is the resource's parent. */
export function asCedar(cases: Case[]): string {
  return cases
    .map(({ effect, server, tool, above }) => {
      const resource = tool === null ? `resource in Server::"${server}"` : `resource == Tool::"${server}/${tool}"`
      const when = above === null ? '' : ` when { context.args.amount > ${above} }`
      return `${effect === 'allow' ? 'permit' : 'forbid'} (principal, action == Action::"call", ${resource})${when};`
    })
    .join('\n')
}

/** A call in Cedar's format, for a policy set that is already parsed. */
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
