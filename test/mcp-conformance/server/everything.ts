import { McpServer } from '@modelcontextprotocol/server'
import { addAskingTools, sealed } from './asking-tools.ts'
import { addContentTools } from './content-tools.ts'
import { addResourcesAndPrompts } from './resources-and-prompts.ts'
import { addTalkingTools, type Changes } from './talking-tools.ts'

export interface Options {
  changes?: Changes
  /** Whether a tool closes its call's stream before it responds. Works only over HTTP. */
  closesStreams?: boolean
}

/** Creates a server on the official SDK with everything that the conformance scenarios need. */
export function everything(era: 'legacy' | 'modern', { changes, closesStreams = false }: Options = {}): McpServer {
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
  }
  const server = new McpServer(
    { name: 'conformance', version: '1.0.0' },
    { capabilities, requestState: { verify: sealed.verify } },
  )
  const own: Changes = { tools: () => server.sendToolListChanged(), prompts: () => server.sendPromptListChanged() }
  addContentTools(server)
  addTalkingTools(server, changes ?? own, closesStreams)
  addAskingTools(server)
  addResourcesAndPrompts(server, era)
  return server
}
