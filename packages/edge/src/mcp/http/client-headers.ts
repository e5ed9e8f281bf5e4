import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { SentCheck } from '../../guard/guard.ts'
import type { Exchange } from '../gateway/exchange.ts'
import { inspectSent } from '../mediation/inspect-client-message.ts'
import { decodeHeader } from '../messages/check-mirrored-headers.ts'
import { logDropped } from '../messages/log.ts'

/** Headers of the client's request that are forwarded to the server. */
const sentOn =
  /^(?:accept|accept-language|baggage|last-event-id|mcp-(?:method|name|param-.+|protocol-version)|traceparent|tracestate|user-agent)$/

/** Leaves out the headers of the client that content rules do not let pass to the server. */
export async function inspectHeaders({
  passage,
  request,
}: Exchange): Promise<{ headers: IncomingHttpHeaders; holds(): boolean }> {
  const headers: IncomingHttpHeaders = {}
  const checks: SentCheck[] = []
  for (const [name, value] of Object.entries(request.headers)) {
    if (!sentOn.test(name) || value === undefined) continue
    const check = await inspectSent(passage, { [name]: readingsOf(String(value)) }, true)
    checks.push(check)
    if (check.denied === null) headers[name] = value
    else logDropped(passage, 'client', `the header ${loggedName(name)}: ${check.denied}`)
  }
  return { headers, holds: () => checks.every((check) => check.holds()) }
}

/** The client chose the end of this name, so it may have a match. */
const loggedName = (name: string) => (name.startsWith('mcp-param-') ? 'mcp-param-…' : name)

/** Returns a header as it is, and as a server may decode it. Node reads each byte as a character, and many servers read UTF-8. */
function readingsOf(value: string): string[] {
  return [...new Set([value, decodeHeader(value) ?? value, Buffer.from(value, 'latin1').toString('utf8')])]
}

/** Returns the headers of a request that the edge itself creates. */
export function ownHeaders({ headers }: Pick<IncomingMessage, 'headers'>): IncomingHttpHeaders {
  const { 'mcp-protocol-version': version } = headers
  const isRevision = typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version)
  return { accept: 'application/json, text/event-stream', ...(isRevision && { 'mcp-protocol-version': version }) }
}

/** The fields of an `Exchange` (one HTTP request of a client) that `headersFor` needs. */
interface Sender {
  readonly authorization: string | null
  readonly request: Pick<IncomingMessage, 'headers'>
  readonly session: string | null
}

export function headersFor({ request: { headers: given }, session, authorization }: Sender): OutgoingHttpHeaders {
  const kept = Object.fromEntries(Object.entries(given).filter(([name]) => sentOn.test(name)))
  return { ...kept, ...(session !== null && { 'mcp-session-id': session }), ...(authorization && { authorization }) }
}
