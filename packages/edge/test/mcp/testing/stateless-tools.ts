import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/**
 * A tool server for MCP revision 2026-07-28, which has no sessions. It has four tools: an echo, a tool with an argument in a
 * header, a tool that sends a request to the client, and a tool that reports progress.
 */
export function statelessTools(): McpServer {
  const server = new McpServer(
    { name: 'stateless', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, async ({ message }) => text(message))
  const region = z.string().meta({ 'x-mcp-header': 'Region' })
  server.registerTool('locate', { inputSchema: z.object({ region }) }, async (args) => text(args.region))
  server.registerTool('ask_name', { inputSchema: z.object({}) }, async (_args, context) => {
    const answer = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, 'who')
    if (answer) return text(`hello ${answer.name}`)
    const requestedSchema = {
      type: 'object' as const,
      properties: { name: { type: 'string' as const } },
      required: ['name'],
    }
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'Who are you?', requestedSchema }) } })
  })
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, context) => {
    const progressToken = context.mcpReq._meta?.progressToken
    for (let progress = 1; progress <= to; progress++) {
      if (progressToken === undefined) continue
      await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: to } })
    }
    return text(`counted to ${to}`)
  })
  return server
}

function text(said: string) {
  return { content: [{ type: 'text' as const, text: said }] }
}
