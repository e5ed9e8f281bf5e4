import { setTimeout as pause } from 'node:timers/promises'
import {
  inputRequired,
  LOG_LEVEL_META_KEY,
  type McpServer,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { declaredIn, textOf } from './samples.ts'

/** Notifies a server's clients that a list changed. */
export interface Changes {
  tools(): void
  prompts(): void
}

/** Adds the suite's tools that send notifications or requests to the client before they respond. */
export function addTalkingTools(server: McpServer, changes: Changes, closesStreams: boolean): void {
  const add = (name: string, act: (context: ServerContext) => Promise<unknown>, answer = 'done') =>
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, async (_args, context) => {
      const said = await act(context)
      return textOf(said === undefined ? answer : JSON.stringify(said))
    })

  add('test_tool_with_logging', async ({ mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
      await pause(50)
    }
  })
  add('test_tool_with_progress', async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0
    for (const progress of [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await pause(50)
    }
    return progressToken
  })
  add('test_reconnection', async ({ http }) => {
    if (closesStreams) http?.closeSSE?.()
    await pause(100)
  })
  add('test_logging_tool', async ({ mcpReq }) => {
    const params = { level: 'info', data: 'logged' }
    if (LOG_LEVEL_META_KEY in (mcpReq.envelope ?? {})) await mcpReq.notify({ method: 'notifications/message', params })
  })
  add('test_trigger_tool_change', async () => changes.tools())
  add('test_trigger_prompt_change', async () => changes.prompts())
  add('test_missing_capability', async ({ mcpReq }) => {
    if (!declaredIn(mcpReq.envelope).sampling) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    }
  })
  server.registerTool('test_streaming_elicitation', { description: 'Asks for input' }, async () =>
    inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema: formOf('name') }) },
    }),
  )
  server.registerTool(
    'test_sampling',
    { description: 'Asks for a completion', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }]
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 })
      return textOf(`LLM response: ${JSON.stringify(content)}`)
    },
  )
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput({ message, requestedSchema: formOf('response') })
      return textOf(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`)
    },
  )
  for (const [name, properties] of Object.entries({
    test_elicitation_sep1034_defaults: defaults,
    test_elicitation_sep1330_enums: choices,
  })) {
    add(name, async ({ mcpReq }) => {
      const params = { message: name, requestedSchema: { type: 'object', properties, required: [] } }
      return await mcpReq.elicitInput(params as never)
    })
  }
}

export function formOf(name: string, type: 'string' | 'boolean' = 'string') {
  return { type: 'object' as const, properties: { [name]: { type } as { type: 'string' } }, required: [name] }
}

const defaults = {
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: { type: 'string', description: 'User status', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', description: 'Verification status', default: true },
}

const titled = (names: string[]) => names.map((title, index) => ({ const: `value${index + 1}`, title }))
const options = ['option1', 'option2', 'option3']
const choices = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled(['First Option', 'Second Option', 'Third Option']) },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
  titledMulti: {
    type: 'array',
    minItems: 1,
    maxItems: 3,
    items: { anyOf: titled(['First Choice', 'Second Choice', 'Third Choice']) },
  },
}
