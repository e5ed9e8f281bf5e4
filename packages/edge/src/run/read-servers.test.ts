// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in a servers file.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readServers } from './read-servers.ts'

async function read(text: string, env: Record<string, string> = {}, note?: (text: string) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-servers-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'servers.json')
  await writeFile(file, text)
  return await readServers(file, env, note)
}

test('inserts environment variables, and default texts for unset ones', async () => {
  const given = { url: '${BASE}/mcp', headers: { authorization: 'Bearer ${TOKEN}', 'x-team': '${TEAM:-none}' } }
  const env = { BASE: 'https://tickets.example', TOKEN: 't$1', TEAM: '' }
  const { tickets } = await read(JSON.stringify({ servers: { tickets: { ...given, timeout_seconds: 5 } } }), env)
  const headers = { authorization: 'Bearer t$1', 'x-team': 'none' }
  expect(tickets).toMatchObject({ url: 'https://tickets.example/mcp', headers, timeoutMs: 5000 })
})

test('accepts a timeout for a started server', async () => {
  const { files } = await read('{"servers":{"files":{"command":"x","timeout_seconds":90}}}')
  expect(files).toMatchObject({ command: 'x', timeoutMs: 90_000 })
  await expect(read('{"servers":{"files":{"command":"x","timeout_seconds":0}}}')).rejects.toThrow('timeout_seconds')
})

test('accepts the transport names that clients use', async () => {
  const url = 'https://tickets.example/mcp'
  const transportOf = async (entry: object) => (await read(JSON.stringify({ servers: { tickets: entry } }))).tickets
  expect(await transportOf({ url })).toMatchObject({ transport: 'http' })
  expect(await transportOf({ type: 'http', url })).toMatchObject({ transport: 'http' })
  expect(await transportOf({ type: 'streamable-http', url })).toMatchObject({ transport: 'http' })
  expect(await transportOf({ type: 'sse', url })).toMatchObject({ transport: 'sse' })
  expect(await transportOf({ type: 'stdio', command: 'x' })).toMatchObject({ command: 'x' })
  expect(await transportOf({ type: 'streamableHttp', url })).toMatchObject({ transport: 'http' })
  for (const [entry, fault] of [
    [{ type: 'sse', command: 'x' }, 'servers.tickets.type must be "stdio"'],
    [{ type: 'stdio', url }, 'servers.tickets.type must be one of "http"'],
    [{ type: 'ws', url }, 'servers.tickets.type must be one of "http"'],
    [{ command: 'x', args: 'y' }, 'servers.tickets.args must be array'],
    [{ command: 'x', env: { A: 1 } }, 'servers.tickets.env.A must be a text or {"credential": "<name>"}'],
    [{ command: 'x', colour: true, autoapprove: [] }, 'servers.tickets has unknown fields: colour, autoapprove'],
  ] as const)
    await expect(transportOf(entry)).rejects.toThrow(fault)
})

test('reads the transport of FastMCP and LangChain as the type, and refuses one that disagrees with it', async () => {
  const url = 'https://tickets.example/mcp'
  const transportOf = async (entry: object) => (await read(JSON.stringify({ mcpServers: { tickets: entry } }))).tickets
  for (const transport of ['http', 'streamable-http', 'streamable_http', 'streamableHttp'])
    for (const more of [{}, { type: 'http' }, { type: 'streamable-http' }])
      expect(await transportOf({ transport, url, ...more })).toMatchObject({ transport: 'http' })
  expect(await transportOf({ transport: 'sse', url })).toMatchObject({ transport: 'sse' })
  expect(await transportOf({ transport: 'sse', type: 'sse', url })).toMatchObject({ transport: 'sse' })
  expect(await transportOf({ transport: 'stdio', command: 'x' })).toMatchObject({ command: 'x' })
  const both = (type: string, transport: string) =>
    `mcpServers.tickets has both type "${type}" and transport "${transport}"`
  for (const [entry, fault] of [
    [{ transport: 'sse', type: 'http', url }, both('http', 'sse')],
    [{ transport: 'streamable-http', type: 'sse', url }, both('sse', 'streamable-http')],
    [{ transport: 'stdio', type: 'http', url }, both('http', 'stdio')],
    [{ transport: 'websocket', url }, 'mcpServers.tickets.transport must be one of stdio, sse, http'],
    [{ transport: 1, url }, 'mcpServers.tickets.transport must be one of stdio, sse, http'],
    [{ transport: 'sse', command: 'x' }, 'mcpServers.tickets.type must be "stdio"'],
  ] as const)
    await expect(transportOf(entry)).rejects.toThrow(fault)
})

test('rejects credentials for a server that gets those of its clients', async () => {
  const entry = { url: 'https://tickets.example/mcp', forward_authorization: true }
  const readWith = (more: object) => read(JSON.stringify({ servers: { tickets: { ...entry, ...more } } }))
  expect((await readWith({ headers: { 'x-team': 'a' } })).tickets).toMatchObject({ forwardAuthorization: true })
  const oauth = { token_url: 'https://a.example', client_id: 'a', client_secret: 'b' }
  for (const more of [{ oauth }, { headers: { AUTHORIZATION: 'Bearer x' } }])
    await expect(readWith(more)).rejects.toThrow('neither oauth nor an Authorization header')
})

test('names an unset variable', async () => {
  const servers = { tickets: { url: 'https://tickets.example', headers: { authorization: 'Bearer ${TOKEN}' } } }
  await expect(read(JSON.stringify({ servers }))).rejects.toThrow('the environment variable TOKEN is not set')
})

test('reads the variables that clients write, and names those that only an editor knows', async () => {
  const file = (value: string) => JSON.stringify({ servers: { files: { command: 'x', env: { KEY: value } } } })
  expect((await read(file('${env:TOKEN} ${env:NONE:-}'), { TOKEN: 't' })).files).toMatchObject({ env: { KEY: 't ' } })
  await expect(read(file('${env:TOKEN}'))).rejects.toThrow('the environment variable TOKEN is not set')
  await expect(read(file('${input:key}'))).rejects.toThrow('${input:key} is a variable of an editor')
})

test.each([
  ['', 'it is not valid JSON: it is empty'],
  ['// servers\n{}', 'it is not valid JSON: JSON has no comments'],
  ['{"servers":{"a":{"command":"x",}}}', 'it is not valid JSON: a comma is before a closing bracket'],
  ['[mcp_servers.a]', 'it is not valid JSON'],
  ['[]', 'the file has no servers by name: write {"servers": '],
  ['null', 'the file has no servers by name'],
  ['{"files":{"command":"x"}}', 'the file has no servers by name'],
  ['{"mcpServers":[]}', 'the file has no servers by name'],
  ['{"mcp":{"servers":[]}}', 'the file has no servers by name'],
  ['{"mcp":[]}', 'the file has no servers by name'],
  ['{"servers":{"a b":{"command":"x"}}}', 'servers.a b is not a valid server name'],
])('says what is wrong with the file %j', async (text, fault) => {
  await expect(read(text)).rejects.toThrow(fault)
})

test('reads a file with a byte order mark', async () => {
  expect((await read('\uFEFF{"servers":{"files":{"command":"x"}}}')).files).toMatchObject({ command: 'x' })
})

test('rejects two servers with one name', async () => {
  const two = '{"servers":{"a":{"command":"x"},"a":{"command":"y"}}}'
  await expect(read(two)).rejects.toThrow('each server needs a name of its own')
})

test('rejects invalid JSON without quoting it', async () => {
  const text = '{"servers":{"a":{"url":"https://a.example","headers":{"authorization":secret}}}}'
  const message = await read(text).catch((error: Error) => error.message)
  expect(message).toContain('it is not valid JSON')
  expect(message).not.toContain('secret')
})

test('accepts the file of an MCP client, which calls the servers mcpServers', async () => {
  const servers = {
    files: { command: 'x', args: ['y'] },
    tickets: { type: 'http', url: 'https://tickets.example/mcp' },
  }
  expect(await read(JSON.stringify({ mcpServers: servers }))).toEqual(await read(JSON.stringify({ servers })))
  await expect(read(JSON.stringify({ mcpServers: { files: {} } }))).rejects.toThrow('mcpServers.files must have a url')
  await expect(read(JSON.stringify({ mcpServers: servers, servers }))).rejects.toThrow('both servers and mcpServers')
})

test.each([
  { context_servers: null },
  { mcp: { servers: {} } },
  { mcp: { servers: null }, mcpServers: {}, context_servers: {} },
])('reads the servers of a file whose other lists are empty: %j', async (others) => {
  const servers = { files: { command: 'x' } }
  expect(await read(JSON.stringify({ servers, ...others }))).toEqual(await read(JSON.stringify({ servers })))
  expect(await read(JSON.stringify({ servers: {}, context_servers: servers }))).toEqual(
    await read(JSON.stringify({ servers })),
  )
})

test.each([['mcp', 'servers'], ['context_servers'], ['mcpServers']])(
  'accepts the list %s %s of a client',
  async (...keys) => {
    const file = (server: object) =>
      JSON.stringify(keys.reduceRight<object>((value, key) => ({ [key]: value }), { files: server }))
    const servers = await read(file({ source: 'custom', command: 'x' }))
    expect(servers).toEqual(await read('{"servers":{"files":{"command":"x"}}}'))
    await expect(read(file({ command: 1 }))).rejects.toThrow(`${keys.join('.')}.files.command must be string`)
  },
)

test('replaces only variables of the servers', async () => {
  const settings = {
    'editor.path': '${config:path}',
    mcp: { inputs: ['${NONE}'], servers: { files: { command: 'x' } } },
  }
  expect(await read(JSON.stringify(settings))).toMatchObject({ files: { command: 'x' } })
})

test('leaves out disabled servers and the approvals of clients, and says so', async () => {
  const notes: string[] = []
  const mcpServers = {
    off: { command: '${NONE}', disabled: true },
    zed: { command: 'x', enabled: false },
    files: { command: 'x', disabled: false, autoApprove: ['read'], alwaysAllow: [], trust: true },
  }
  const servers = await read(JSON.stringify({ mcpServers }), {}, (text) => notes.push(text))
  expect(servers).toEqual(await read('{"servers":{"files":{"command":"x"}}}'))
  expect(notes).toEqual([
    'mcpServers.off is disabled, so the edge leaves it out',
    'mcpServers.zed is disabled, so the edge leaves it out',
    'mcpServers.files.autoApprove has no effect: the policy of an agent decides which calls pass',
    'mcpServers.files.trust has no effect: the policy of an agent decides which calls pass',
  ])
})

test('explains the other fields of clients, each beside all other faults', async () => {
  const mcpServers = {
    files: { command: 'x', timeout: 60, disabled: 'yes' },
    tickets: { httpUrl: 'https://tickets.example/mcp', colour: 'red' },
    old: { serverUrl: 'nowhere' },
  }
  const message = await read(JSON.stringify({ mcpServers })).catch((error: Error) => error.message)
  expect(
    String(message)
      .replace(/^.*servers\.json: /, '')
      .split('; '),
  ).toEqual([
    'mcpServers.files: disabled and enabled must be true or false',
    'mcpServers.files.timeout is not used, because clients mean seconds or milliseconds',
    'use timeout_seconds',
    'mcpServers.tickets has an unknown field: httpUrl',
    'did you mean url?',
    'mcpServers.old has an unknown field: serverUrl',
    'did you mean url?',
    'mcpServers.tickets has unknown fields: colour',
    expect.stringMatching(/^mcpServers\.old\.url /),
  ])
})
