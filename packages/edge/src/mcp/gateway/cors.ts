import type { IncomingMessage, ServerResponse } from 'node:http'

/** The headers that MCP clients send. */
const requestHeader =
  /^(?:accept|authorization|content-type|last-event-id|mandate-(?:edge-token|delegation)|mcp-(?:session-id|protocol-version|method|name|param-[\w-]+)|traceparent|tracestate|baggage)$/
/** The response headers that a web page may read in addition to those that browsers always allow. */
const exposed = 'mcp-session-id, mcp-protocol-version, retry-after, www-authenticate'
const methods = 'GET, POST, DELETE'
const maxAgeSeconds = 600

/** Lets the pages of a configured origin read the answers. Does nothing for other callers. */
export function allowOrigin(
  { headers }: IncomingMessage,
  response: ServerResponse,
  origins: ReadonlySet<string>,
): void {
  if (origins.size > 0) response.setHeader('vary', 'origin')
  if (headers.origin === undefined || !origins.has(headers.origin)) return
  response.setHeader('access-control-allow-origin', headers.origin)
  response.setHeader('access-control-expose-headers', exposed)
}

/**
 * Answers a preflight request from a page of a configured origin. A preflight request carries no token, so the answer only
 * says what such a page may send. Returns false for other requests.
 */
export function answerPreflight(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  origins: ReadonlySet<string>,
): boolean {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
  if (!isPreflight || headers.origin === undefined || !origins.has(headers.origin)) return false
  const asked = String(headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  const allowed = asked.filter((name) => requestHeader.test(name))
  response.setHeader('access-control-allow-methods', methods)
  if (allowed.length > 0) response.setHeader('access-control-allow-headers', allowed.join(', '))
  response.setHeader('access-control-max-age', maxAgeSeconds)
  response.writeHead(204).end()
  return true
}
