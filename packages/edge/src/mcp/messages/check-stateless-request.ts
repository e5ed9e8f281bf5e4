import type { IncomingHttpHeaders } from 'node:http'
import { edgeVersion } from '../../version.ts'
import { isStateless } from './answer-stopped-call.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { mirroredNames } from './methods.ts'
import { isObject, isRequest } from './read-message.ts'
import { headerMismatch, invalidParams } from './rpc-error.ts'

/** The first MCP revision without sessions. Each request in it carries the version, the client and the client's capabilities. */
export const firstStatelessRevision = '2026-07-28'

const meta = (name: string) => `io.modelcontextprotocol/${name}`

/** The extensions of MCP's own project, without their prefix. */
const extensions = ['ui', 'tasks', 'oauth-client-credentials', 'enterprise-managed-authorization']
/** The names of the capabilities of clients, of their parts, and of these extensions. */
const knownCapabilities = new Set([
  ...['extensions', ...extensions.map((name) => meta(name))],
  ...['roots', 'listChanged'],
  ...['sampling', 'tools', 'context'],
  ...['elicitation', 'form', 'url', 'applyDefaults'],
  ...['tasks', 'list', 'cancel', 'requests', 'createMessage', 'create'],
])
/** Maximum depth of the known capabilities that are told. */
const deepest = 5

/** Returns only the known capabilities, which carry no text of the client. */
function plainCapabilities(given: JsonValue | undefined, depth = 0): JsonObject {
  if (!isObject(given) || depth > deepest) return {}
  const told: JsonObject = {}
  for (const [name, value] of Object.entries(given)) {
    if (!knownCapabilities.has(name)) continue
    if (typeof value === 'boolean') told[name] = value
    else if (isObject(value)) told[name] = plainCapabilities(value, depth + 1)
  }
  return told
}

const ownInfo = { name: 'mandate-edge', version: edgeVersion }

/**
 * The `_meta` of a request of the edge itself, in MCP revisions without sessions. `capabilities` are those of the client: a server may offer other
 * tools for them. Only known ones are told, because the server must get no text of a call that is not decided yet.
 */
export function ownMeta(version: string, capabilities?: JsonValue): JsonObject {
  return {
    [meta('protocolVersion')]: version,
    [meta('clientInfo')]: ownInfo,
    [meta('clientCapabilities')]: plainCapabilities(capabilities),
  }
}

/** Returns `ownMeta` for a request that a call needs. Null if the revision of the call has sessions. */
export function ownMetaFor(params: JsonObject): JsonObject | null {
  const given = isObject(params._meta) ? params._meta : {}
  const version = given[meta('protocolVersion')]
  if (typeof version !== 'string' || !isStatelessRevision(version)) return null
  return ownMeta(version, given[meta('clientCapabilities')])
}

/** Returns a message that opens a session, or a ping, without the parameters that the client wrote. A closed edge forwards this message instead. */
export function withoutText(message: JsonObject): JsonObject {
  const { params: given, ...envelope } = message
  const params = isObject(given) ? given : {}
  const { protocolVersion } = params
  if (message.method === 'initialize') {
    const opening: JsonObject = { capabilities: plainCapabilities(params.capabilities), clientInfo: ownInfo }
    if (isRevision(protocolVersion)) opening.protocolVersion = protocolVersion
    return { ...envelope, params: opening }
  }
  const _meta = ownMetaFor(params)
  return _meta ? { ...envelope, params: { _meta } } : envelope
}

/** The reason why a request is refused, as a JSON-RPC error. */
export interface RequestFault {
  readonly code: number
  readonly message: string
  readonly data?: JsonObject
}

/**
 * Checks that a request has the fields and headers that MCP revisions without sessions require. Returns null if nothing is
 * missing. Used if the tool server cannot check this itself, for example because it does not speak HTTP. `checkMirroredHeaders`
 * checks that the headers match the message.
 */
export function checkStatelessRequest(headers: IncomingHttpHeaders, message: JsonObject): RequestFault | null {
  if (!isRequest(message)) return null
  const params = isObject(message.params) ? message.params : {}
  const given = isObject(params._meta) ? params._meta : {}
  if (given[meta('protocolVersion')] === undefined) {
    const isClaimed = message.method !== 'initialize' && isStatelessRevision(headers['mcp-protocol-version'])
    return isClaimed ? lacking('_meta', meta('protocolVersion')) : null
  }
  if (!isStateless(params)) return lacking('_meta', meta('protocolVersion'))
  if (!isObject(given[meta('clientCapabilities')])) return lacking('_meta', meta('clientCapabilities'))
  const subject = params[mirroredNames.get(String(message.method)) ?? '']
  const expected = ['MCP-Protocol-Version', 'Mcp-Method', ...(typeof subject === 'string' ? ['Mcp-Name'] : [])]
  const missing = expected.find((name) => headers[name.toLowerCase()] === undefined)
  return missing === undefined ? null : { code: headerMismatch, message: `The ${missing} header is missing` }
}

const isRevision = (version: unknown): version is string =>
  typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version)

function isStatelessRevision(version: string | string[] | undefined): boolean {
  return isRevision(version) && version >= firstStatelessRevision
}

function lacking(field: string, key: string): RequestFault {
  const message = `Invalid params: ${field} lacks ${key}, which each request of this revision has`
  return { code: invalidParams, message, data: { missing: [key] } }
}
