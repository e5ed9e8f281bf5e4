import { Client, type Transport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { type Recorded, record } from './record-session.ts'

export type Session = (client: Client) => Promise<void>

const anything = z.looseObject({})

/**
 * Connects a client, calls `session` with it, and closes it. Returns the messages that the client received. By default the
 * client has every capability.
 */
export async function runSession(transport: Transport, session: Session, client = newClient()): Promise<Recorded> {
  const recorded = record(transport)
  await client.connect(transport)
  try {
    await session(client)
    return recorded()
  } finally {
    await client.close()
  }
}

/**
 * Creates a client without capabilities. If the client had the capability `roots`, the file server would use the client's
 * roots instead of the folder that the test gives the server.
 */
export function plainClient(): Client {
  return new Client({ name: 'test-client', version: '1.0.0' })
}

const rootsAsked = new WeakMap<Client, Promise<void>>()

export function newClient(): Client {
  const client = new Client(
    { name: 'test-client', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } } },
  )
  client.setRequestHandler('sampling/createMessage', async () => ({
    model: 'test-model',
    role: 'assistant',
    content: { type: 'text', text: 'sampled' },
  }))
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }))
  const asked = Promise.withResolvers<void>()
  rootsAsked.set(client, asked.promise)
  client.setRequestHandler('roots/list', async () => {
    asked.resolve()
    return { roots: [{ uri: 'file:///tmp', name: 'a root' }] }
  })
  return client
}

/** Uses every feature of MCP's reference server, except features with random results. */
export async function useEverything(client: Client): Promise<void> {
  const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args })
  // Waits until the server has requested the client's roots, some time after the handshake. If a tool needed the roots before
  // that, the server would request them twice.
  await rootsAsked.get(client)
  await client.ping()
  await client.listTools()
  await client.listPrompts()
  await client.listResources()
  await client.listResourceTemplates()
  await client.setLoggingLevel('debug')
  await call('echo', { message: 'Grüße, 世界 \u2028 \u0000 🙂' })
  await call('echo', { wrong: 1 })
  await call('no-such-tool')
  await call('get-sum', { a: 1.5, b: -0.25 })
  await call('get-annotated-message', { messageType: 'error', includeImage: true })
  await call('get-resource-links', { count: 3 })
  await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })
  await call('get-structured-content', { location: 'Chicago' })
  await call('get-tiny-image')
  await call('trigger-sampling-request', { prompt: 'say something' })
  await call('trigger-elicitation-request')
  await call('get-roots-list')
  await client.getPrompt({ name: 'simple-prompt' })
  await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Bern' } })
  await client.complete({
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'E' },
  })
  await client.readResource({ uri: 'demo://resource/dynamic/text/1' })
  await client.readResource({ uri: 'demo://resource/none' }).catch(() => {})
  await client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' })
  await client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' })
  await client.request({ method: 'vendor/unknown', params: { some: ['thing'] } }, anything).catch(() => {})
  await withProgress(client)
  await cancelled(client)
  await Promise.all([1, 2, 3, 4, 5].map((n) => call('get-sum', { a: n, b: n })))
}

async function withProgress(client: Client): Promise<void> {
  await client.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: 0.05, steps: 5 } },
    { onprogress: () => {} },
  )
}

// Cancels the call before its first step ends. Otherwise the number of progress reports would depend on timing.
async function cancelled(client: Client): Promise<void> {
  const stop = new AbortController()
  const call = { name: 'trigger-long-running-operation', arguments: { duration: 600, steps: 1 } }
  setImmediate(() => stop.abort())
  await client.callTool(call, { signal: stop.signal }).catch(() => {})
}

export async function useFiles(client: Client, folder: string): Promise<void> {
  const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args })
  await client.listTools()
  await call('list_allowed_directories')
  await call('write_file', { path: `${folder}/note.txt`, content: 'one\ntwo\n' })
  await call('read_text_file', { path: `${folder}/note.txt`, head: 1 })
  await call('edit_file', { path: `${folder}/note.txt`, edits: [{ oldText: 'two', newText: 'three' }] })
  await call('create_directory', { path: `${folder}/inner` })
  await call('move_file', { source: `${folder}/note.txt`, destination: `${folder}/inner/note.txt` })
  await call('directory_tree', { path: folder })
  await call('search_files', { path: folder, pattern: '**/*.txt' })
  await call('read_multiple_files', { paths: [`${folder}/inner/note.txt`, `${folder}/none.txt`] })
  await call('read_text_file', { path: '/etc/passwd' })
}

export async function useMemory(client: Client): Promise<void> {
  const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args })
  await client.listTools()
  await call('create_entities', {
    entities: [
      { name: 'Ada', entityType: 'person', observations: ['wrote programs'] },
      { name: 'Engine', entityType: 'machine', observations: [] },
    ],
  })
  await call('create_relations', { relations: [{ from: 'Ada', to: 'Engine', relationType: 'programmed' }] })
  await call('add_observations', { observations: [{ entityName: 'Ada', contents: ['born 1815'] }] })
  await call('search_nodes', { query: 'wrote' })
  await call('open_nodes', { names: ['Engine'] })
  await call('delete_entities', { entityNames: ['Engine'] })
  await call('read_graph')
}
