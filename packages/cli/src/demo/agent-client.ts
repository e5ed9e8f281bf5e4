import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { version } from '../server/version.ts'
import type { Stage } from './stage.ts'

const Meta = z.object({
  'mandate/decision': z.object({
    verdict: z.enum(['allow', 'deny', 'require_approval']),
    rule: z.object({ name: z.string() }).nullable(),
    reason: z.string(),
  }),
  'mandate/approval': z.object({ approval_id: z.string(), status: z.string() }).optional(),
})

/** The result of a call: the tool's response, or the edge's response if it stopped the call. */
export type Outcome =
  | { verdict: 'allow'; text: string }
  | { verdict: 'deny' | 'require_approval'; text: string; why: string; approvalId: string | undefined }

/** Stands in for an agent: an MCP client that calls tools. */
export interface AgentClient {
  name: string
  tools(): Promise<string[]>
  call(tool: string, args: Record<string, unknown>): Promise<Outcome>
}

export async function connectAgent(
  { signal, atEnd }: Stage,
  name: string,
  url: URL,
  token: string,
): Promise<AgentClient> {
  signal.throwIfAborted()
  const client = new Client({ name, version })
  atEnd(() => client.close())
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )
  return {
    name,
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async call(tool, args) {
      const { content, isError, _meta } = await client.callTool({ name: tool, arguments: args }, { signal })
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
      if (!isError) return { verdict: 'allow', text }
      const { data: stopped } = Meta.safeParse(_meta)
      if (!stopped) throw new Error(`${tool} failed: ${text}`)
      const { verdict, rule, reason } = stopped['mandate/decision']
      if (verdict === 'allow') throw new Error(`${tool} was stopped although the decision was allow: ${text}`)
      const why = rule ? `by the rule “${rule.name}”: ${reason}` : reason
      return { verdict, text, why, approvalId: stopped['mandate/approval']?.approval_id }
    },
  }
}
