import { readFile } from 'node:fs/promises'
import { isServerName } from '@mandate/contract/fields/mcp-tool-name'
import { z } from 'zod'
import { inheritedEnvironment } from '../config.ts'
import { fileFault } from '../file-fault.ts'
import { nameAmbiguity } from '../json/name-ambiguity.ts'
import type { ServerConfig } from '../mcp/gateway.ts'
import type { JsonValue } from '../mcp/messages/json.ts'
import { isObject } from '../mcp/messages/read-message.ts'
import { findServerList, readClientFields, type ServerList } from './client-format.ts'
import { expandVariables } from './expand-variables.ts'

const Credential = z.strictObject({
  credential: z.string().regex(/^[a-z0-9-]{1,63}$/, 'must be the name of a credential: 1 to 63 of a-z 0-9 -'),
})
const textsAndCredentials = z.record(
  z.string(),
  z.union([z.string(), Credential], { error: 'must be a text or {"credential": "<name>"}' }),
)
const address = z.url({ protocol: /^https?$/ })
const seconds = z.number().min(1).max(86_400)
const OAuth = z.strictObject({
  token_url: address,
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  scope: z.string().optional(),
  resource: z.string().optional(),
})
const ByAddress = z.strictObject({
  // Other clients and gateways use these names for Streamable HTTP.
  type: z.enum(['http', 'streamable-http', 'streamableHttp', 'sse']).optional(),
  url: address,
  headers: textsAndCredentials.optional(),
  oauth: OAuth.optional(),
  forward_authorization: z.boolean().optional(),
  timeout_seconds: seconds.optional(),
})
const ByCommand = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: textsAndCredentials.optional(),
  cwd: z.string().optional(),
  timeout_seconds: seconds.optional(),
})
const ServersFile = z.object({
  servers: z.record(
    z.string().refine(isServerName, 'is not a valid server name: use 1 to 64 of A-Z a-z 0-9 _ - .'),
    z
      .union([ByAddress, ByCommand], {
        error:
          'must have a url, with type (http or sse), headers, oauth and forward_authorization, or a command, with args, env and cwd; both may have timeout_seconds from 1 to 86400',
      })
      .refine((server) => !('url' in server && server.oauth && namesCredential(server, 'authorization')), {
        error: 'must have either oauth or a credential for the Authorization header',
      })
      .refine(
        (server) => !('url' in server && server.forward_authorization && hasAuthorization(server)),
        'must have neither oauth nor an Authorization header where forward_authorization is true',
      ),
  ),
})

function hasAuthorization({ oauth, headers = {} }: z.output<typeof ByAddress>): boolean {
  return oauth !== undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

function namesCredential({ headers = {} }: z.output<typeof ByAddress>, header: string): boolean {
  return Object.entries(headers).some(([name, value]) => name.toLowerCase() === header && typeof value !== 'string')
}

/**
 * Reads the tool servers in a file, keyed by their names. Replaces `${NAME}` by environment variables. The settings of the
 * edge cannot be used as variables. Passes what it leaves out of the file of a client to `note`.
 * @throws an error that lists every fault, including duplicate names and unset variables
 */
export async function readServers(
  file: string,
  env: Readonly<Record<string, string | undefined>> = inheritedEnvironment(),
  note: (text: string) => void = () => {},
): Promise<Record<string, ServerConfig>> {
  const list = listOf(await readFileOf(file), file)
  const given = readClientFields(list, note)
  const missing = new Set<string>()
  const expanded = expandVariables(given.servers, env, (name) => missing.add(name))
  const unset = [...missing].map((name) =>
    name.includes(':')
      ? `\${${name}} is a variable of an editor; use an environment variable, such as \${TOKEN}`
      : `the environment variable ${name} is not set`,
  )
  const { data, error } = ServersFile.safeParse({ servers: expanded }, { reportInput: true })
  const issues = error?.issues.map((issue) => ({ ...issue, path: [list.place, ...issue.path.slice(1)] })) ?? []
  const faults = [...unset, ...given.faults, ...issues.flatMap(faultsOf)]
  if (!data || faults.length > 0) throw new Error(`MANDATE_EDGE_MCP: ${file}: ${faults.join('; ')}`)
  return Object.fromEntries(Object.entries(data.servers).map(([name, server]) => [name, configOf(server)]))
}

type Issue = z.core.$ZodIssue

/** Describes an issue. If an entry has a `url` or a `command`, describes only the faults of that kind of server. */
function faultsOf(issue: Issue): string[] {
  const place = issue.path.join('.')
  if (issue.code === 'invalid_union' && isObject(issue.input as JsonValue)) {
    const kind = ['url', 'command'].findIndex((field) => field in (issue.input as object))
    const inner: Issue[] = issue.errors[kind] ?? []
    if (inner.length > 0) return inner.flatMap((one) => faultsOf({ ...one, path: [...issue.path, ...one.path] }))
  }
  if (issue.code === 'unrecognized_keys') return [`${place} has unknown fields: ${issue.keys.join(', ')}`]
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => `${place} ${message}`)
  return [`${place} ${issue.message.replace(/^Invalid (?:input|option): expected/, 'must be')}`]
}

function listOf(value: JsonValue, file: string): ServerList {
  let list: ServerList | undefined
  try {
    list = findServerList(value)
  } catch (error) {
    throw new Error(`MANDATE_EDGE_MCP: ${file}: ${(error as Error).message}`)
  }
  if (list) return list
  throw new Error(
    `MANDATE_EDGE_MCP: ${file}: the file has no servers by name: write {"servers": {"files": {"command": "npx", "args": ["…"]}}}, or mcpServers in place of servers`,
  )
}

async function readFileOf(file: string): Promise<JsonValue> {
  let text: string
  let value: JsonValue
  try {
    // Some editors write a byte order mark.
    text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    throw new Error(`MANDATE_EDGE_MCP: ${file}: ${fileFault(error) ?? (error as Error).message}`)
  }
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(`MANDATE_EDGE_MCP: ${file}: it is not valid JSON${hintOf(text)}`)
  }
  const ambiguity = nameAmbiguity(text)
  if (ambiguity) throw new Error(`MANDATE_EDGE_MCP: ${file}: ${ambiguity}; each server needs a name of its own`)
  return value
}

// The messages of the JSON parser quote the text around the error. That text may contain a credential.
function hintOf(text: string): string {
  if (text.trim() === '') return ': it is empty'
  if (/^\s*(?:\/\/|\/\*)/m.test(text)) return ': JSON has no comments'
  return /,\s*[}\]]/.test(text) ? ': a comma is before a closing bracket' : ''
}

function configOf(server: z.output<typeof ByAddress> | z.output<typeof ByCommand>): ServerConfig {
  const { timeout_seconds: timeout, type, ...given } = server
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000
  if (!('url' in given)) {
    const { texts: env, credentials } = divide(given.env)
    return { ...given, env: { ...inheritedEnvironment(), ...env }, credentials, timeoutMs }
  }
  const { texts: headers, credentials } = divide(given.headers)
  const { url, oauth: asked, forward_authorization: forwardAuthorization } = given
  const oauth = asked && {
    tokenUrl: asked.token_url,
    clientId: asked.client_id,
    clientSecret: asked.client_secret,
    scope: asked.scope,
    resource: asked.resource,
  }
  const transport = type === 'sse' ? 'sse' : 'http'
  return { url, transport, headers, credentials, oauth, forwardAuthorization, timeoutMs }
}

/** Divides the values of a server into texts and names of credentials. `credentials` is undefined if no value names a credential. */
function divide(values: z.output<typeof textsAndCredentials> | undefined) {
  const entries = Object.entries(values ?? {})
  const named = entries.flatMap(([place, value]) => (typeof value === 'string' ? [] : [[place, value.credential]]))
  return {
    texts:
      values &&
      Object.fromEntries(entries.flatMap(([place, value]) => (typeof value === 'string' ? [[place, value]] : []))),
    credentials: named.length > 0 ? (Object.fromEntries(named) as Record<string, string>) : undefined,
  }
}
