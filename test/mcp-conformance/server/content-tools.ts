import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { audio, image, textOf } from './samples.ts'

/** Adds the suite's tools that return each kind of content. */
export function addContentTools(server: McpServer): void {
  const embedded = (uri: string, mimeType: string, text: string) => ({
    type: 'resource' as const,
    resource: { uri, mimeType, text },
  })
  const picture = { type: 'image' as const, data: image, mimeType: 'image/png' }
  server.registerTool('test_simple_text', { description: 'Returns text' }, async () =>
    textOf('This is a simple text response for testing.'),
  )
  server.registerTool('test_image_content', { description: 'Returns an image' }, async () => ({
    content: [picture],
  }))
  server.registerTool('test_audio_content', { description: 'Returns audio' }, async () => ({
    content: [{ type: 'audio', data: audio, mimeType: 'audio/wav' }],
  }))
  server.registerTool('test_embedded_resource', { description: 'Returns a resource' }, async () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }))
  server.registerTool('test_multiple_content_types', { description: 'Returns several content types' }, async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      picture,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }))
  server.registerTool('test_error_handling', { description: 'Fails' }, async () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  const region = z.string().meta({ 'x-mcp-header': 'Region' })
  server.registerTool(
    'test_mirrored_header',
    { description: 'Has an argument that a header mirrors', inputSchema: z.object({ region }) },
    async (args) => textOf(args.region),
  )
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema<object>(schema) },
    async (args) => textOf(JSON.stringify(args)),
  )
}

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a JSON Schema keyword
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}
