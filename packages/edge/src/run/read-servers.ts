import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { inheritedEnvironment } from '../config.ts'
import { nameAmbiguity } from '../json/name-ambiguity.ts'
import type { ServerConfig } from '../mcp/gateway.ts'
import { isServerName } from '../mcp/mediation/tool-name.ts'
import type { JsonValue } from '../mcp/messages/json.ts'
import { expandVariables } from './expand-variables.ts'

const Credential = z.strictObject({
  credential: z.string().regex(/^[a-z0-9-]{1,63}$/, 'must be the name of a credential: 1 to 63 of a-z 0-9 -'),
})
const textsAndCredentials = z.record(z.string(), z.union([z.string(), Credential]))
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
  // Other clients and gateways use both of these names for Streamable HTTP.
  type: z.enum(['http', 'streamable-http', 'sse']).optional(),
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
 * edge cannot be used as variables.
 * @throws an error that lists every fault, including duplicate names and unset variables
 */
export async function readServers(
  file: string,
  env: Readonly<Record<string, string | undefined>> = inheritedEnvironment(),
): Promise<Record<string, ServerConfig>> {
  const given = await readFileOf(file)
  const missing = new Set<string>()
  const expanded = expandVariables(given, env, (name) => missing.add(name))
  const unset = [...missing].map((name) => `the environment variable ${name} is not set`)
  const { data, error } = ServersFile.safeParse(withServers(expanded))
  const faults = error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? []
  if (!data || unset.length > 0) throw new Error(`MANDATE_EDGE_MCP: ${file}: ${[...unset, ...faults].join('; ')}`)
  return Object.fromEntries(Object.entries(data.servers).map(([name, server]) => [name, configOf(server)]))
}

/** Reads the list of a file in the format of MCP clients, which call the list `mcpServers`. */
function withServers(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null || !('mcpServers' in value)) return value
  if ('servers' in value)
    throw new Error('MANDATE_EDGE_MCP: the file has both servers and mcpServers; put all servers into one of them')
  return { servers: value.mcpServers }
}

async function readFileOf(file: string): Promise<JsonValue> {
  let text: string
  let value: JsonValue
  try {
    text = await readFile(file, 'utf8')
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`MANDATE_EDGE_MCP: ${file}: ${describeFault(error as Error)}`)
  }
  const ambiguity = nameAmbiguity(text)
  if (ambiguity) throw new Error(`MANDATE_EDGE_MCP: ${file}: ${ambiguity}; each server needs a name of its own`)
  return value
}

// Some messages of the JSON parser quote the text around the error. That text may contain a credential.
function describeFault({ name, message }: Error): string {
  return name === 'SyntaxError' && message.includes('is not valid JSON') ? 'it is not valid JSON' : message
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
