import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { image } from './samples.ts'

/** Adds the suite's resources, prompts and completions. */
export function addResourcesAndPrompts(server: McpServer, era: 'legacy' | 'modern'): void {
  const texts = { 'static-text': 'This is the content of the static text resource.', 'watched-resource': 'Watched' }
  for (const [name, text] of Object.entries(texts)) {
    const uri = `test://${name}`
    server.registerResource(name, uri, { description: name, mimeType: 'text/plain' }, async () => ({
      contents: [{ uri, mimeType: 'text/plain', text }],
    }))
  }
  const binary = 'test://static-binary'
  server.registerResource('static-binary', binary, { description: 'An image', mimeType: 'image/png' }, async () => ({
    contents: [{ uri: binary, mimeType: 'image/png', blob: image }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType: 'application/json' }, async (uri, { id }) => ({
    contents: [
      { uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ID: ${id}` }) },
    ],
  }))
  if (era === 'legacy') {
    server.server.setRequestHandler('resources/subscribe', async () => ({}))
    server.server.setRequestHandler('resources/unsubscribe', async () => ({}))
    server.server.setRequestHandler('logging/setLevel', async () => ({}))
  }
  server.server.setRequestHandler('completion/complete', async () => ({
    completion: { values: [], total: 0, hasMore: false },
  }))
  addPrompts(server)
}

function addPrompts(server: McpServer): void {
  const say = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })
  server.registerPrompt('test_simple_prompt', { description: 'Without arguments' }, async () => ({
    messages: [say('This is a simple prompt for testing.')],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'With arguments', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    async ({ arg1, arg2 }) => ({ messages: [say(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    async ({ resourceUri: uri }) => ({
      messages: [
        { role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded' } } },
        say('Please process the embedded resource above.'),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, async () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: image, mimeType: 'image/png' } },
      say('Please analyze the image above.'),
    ],
  }))
}
