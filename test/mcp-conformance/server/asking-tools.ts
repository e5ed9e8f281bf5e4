import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { declaredIn, textOf } from './samples.ts'
import { formOf } from './talking-tools.ts'

/** Signs the state that the server asks its clients to send back. Valid for one process. */
export const sealed = createRequestStateCodec<{ step: number }>({ key: 'the-key-of-a-server-for-conformance-tests' })

const form = (message: string, name: string, type?: 'boolean') =>
  inputRequired.elicit({ message, requestedSchema: formOf(name, type) })
const completion = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens })

/** Adds the suite's tools and prompt that request input in their result, as revision 2026-07-28 specifies. */
export function addAskingTools(server: McpServer): void {
  const add = (name: string, act: (context: ServerContext) => Promise<unknown>) =>
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, (async (
      _args: object,
      context: ServerContext,
    ) => act(context)) as never)
  const answers = ({ mcpReq }: ServerContext) => mcpReq.inputResponses ?? {}

  add('test_input_required_result_elicitation', async (context) => {
    const answer = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, 'user_name')
    if (typeof answer?.name === 'string') return textOf(`Hello, ${answer.name}!`)
    return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } })
  })
  add('test_input_required_result_sampling', async (context) => {
    if ('capital_question' in answers(context)) return textOf(JSON.stringify(answers(context).capital_question))
    return inputRequired({ inputRequests: { capital_question: completion('What is the capital of France?', 100) } })
  })
  add('test_input_required_result_list_roots', async (context) => {
    if ('client_roots' in answers(context)) return textOf(JSON.stringify(answers(context).client_roots))
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    add(name, async (context) => {
      const state = context.mcpReq.requestState<{ step: number }>()
      if (state && 'confirm' in answers(context)) return textOf('state-ok')
      const inputRequests = { confirm: form('Please confirm', 'ok', 'boolean') }
      return inputRequired({ inputRequests, requestState: await sealed.mint({ step: 1 }) })
    })
  }
  add('test_input_required_result_multiple_inputs', async (context) => {
    const inputRequests = {
      user_name: form('What is your name?', 'name'),
      greeting: completion('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    }
    if (Object.keys(inputRequests).every((key) => key in answers(context))) return textOf('all answered')
    return inputRequired({ inputRequests, requestState: await sealed.mint({ step: 1 }) })
  })
  add('test_input_required_result_multi_round', async (context) => {
    const step = context.mcpReq.requestState<{ step: number }>()?.step ?? 0
    if (step === 2 && 'step2' in answers(context)) return textOf('both answered')
    const next = step === 1 && 'step1' in answers(context) ? 2 : 1
    const question =
      next === 2 ? form('Step 2: What is your favorite color?', 'color') : form('Step 1: What is your name?', 'name')
    return inputRequired({
      inputRequests: { [`step${next}`]: question },
      requestState: await sealed.mint({ step: next }),
    })
  })
  add('test_input_required_result_capabilities', async ({ mcpReq }) => {
    const declared = declaredIn(mcpReq.envelope)
    const inputRequests = {
      ...(declared.sampling && { greeting: completion('Generate a greeting', 50) }),
      ...(declared.elicitation && { user_name: form('What is your name?', 'name') }),
    }
    return inputRequired({ inputRequests })
  })
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks for its context' }, (async (
    context: ServerContext,
  ) => {
    const answer = acceptedContent<{ context: string }>(context.mcpReq.inputResponses, 'user_context')
    if (!answer) {
      return inputRequired({ inputRequests: { user_context: form('What context should the prompt use?', 'context') } })
    }
    return { messages: [{ role: 'user', content: { type: 'text', text: answer.context } }] }
  }) as never)
}
