import { randomUUID } from 'node:crypto'
import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

interface ParserAnswer {
  status: string
  error: string
}

const malformed: ParserAnswer = { status: '400 Bad Request', error: 'the request is not well-formed HTTP' }

const answers: Record<string, ParserAnswer> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    error: 'the headers of the request are too large',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Payload Too Large',
    error: 'the chunk extensions of the body are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    error: 'the request did not arrive in time',
  },
}

/** The request that each connection sent last. */
const requests = new WeakMap<Duplex, IncomingMessage>()

/** Remembers the request, for the answer to a fault of its body, and returns its id. */
export function beginRequest(request: IncomingMessage): string {
  requests.set(request.socket, request)
  return requestIdOf(request)
}

/** An error of the parser. `bytesParsed` is the place of the fault in `rawPacket`, which are the bytes that the connection received last. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: unknown; bytesParsed?: number }

/**
 * Answers a request that Node's HTTP parser rejects. Sends the error in the JSON format of the API, and then closes the
 * connection.
 */
export function answerParserError(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const id = idOfRejected(error, socket) ?? randomUUID()
  endWith(socket, answers[error.code ?? ''] ?? malformed, id)
}

/**
 * The id that the client sent with the rejected request, if its headers were read, or if they begin the bytes that were received last. Node passes
 * on no earlier bytes. A listener for them would make each request slower.
 */
function idOfRejected({ rawPacket, bytesParsed = 0 }: ParserError, socket: Socket): string | undefined {
  const last = requests.get(socket)
  if (last && !last.complete) return requestIdOf(last)
  // After a request with a body, the bytes may begin inside this body.
  if (!Buffer.isBuffer(rawPacket) || (socket.bytesRead !== rawPacket.length && (!last || hasBody(last))))
    return undefined
  const text = rawPacket.toString('latin1', 0, Math.min(rawPacket.length, maxHeaderSize))
  const end = text.indexOf('\r\n\r\n')
  // The fault is in a later request.
  if (end >= 0 && bytesParsed > end + 4) return undefined
  const head = end < 0 ? text : text.slice(0, end + 2)
  const [start = '', ...lines] = head.split('\r\n')
  const places = lines.flatMap((line, at) => (idField.test(line) ? [at] : []))
  const [place = -1] = places
  const next = lines[place + 1]
  // The last line may not be whole. A line that begins with white space continues the one before.
  if (!/^[A-Z]+ \S+ HTTP\//.test(start) || places.length !== 1 || next === undefined || /^[ \t]/.test(next))
    return undefined
  const sent = lines[place]?.replace(idField, '').trim() ?? ''
  return validRequestId.test(sent) ? sent : undefined
}

const idField = /^x-request-id:/i

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

function endWith(
  socket: Duplex,
  { status, error }: ParserAnswer,
  requestId: string,
  more: readonly string[] = [],
): void {
  const body = JSON.stringify({ error })
  const headers = [
    `HTTP/1.1 ${status}`,
    `X-Request-Id: ${requestId}`,
    ...more,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/

/** The id that the client sent with a request, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && validRequestId.test(sent) ? sent : randomUUID()
}

/** Describes the fault of the header `Host`, or returns null. Of two hosts, a proxy could use the first and the server the second. */
export function hostFault({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts++
  if (hosts > 1) return 'the request has several Host headers'
  return hosts === 0 && httpVersion === '1.1' ? 'the request has no Host header' : null
}

const tunnelMs = 100

/** Rejects the method CONNECT, which asks for a tunnel. Node would close the connection without an answer. */
export function refuseTunnels(server: Server): void {
  const answer = { status: '405 Method Not Allowed', error: 'method not allowed' }
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    endWith(socket, answer, requestIdOf(request), ['Allow: DELETE, GET, HEAD, PATCH, POST, PUT'])
    // Node no longer limits or closes this connection. What the client still sends is read, so that it gets the answer.
    socket.resume()
    setTimeout(() => socket.destroy(), tunnelMs).unref()
  })
}

/** Rejects requests with an `Expect` header other than `100-continue`. Node would send a 417 without a body. */
export function refuseExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify({ error: 'the expectation in the Expect header is not supported' })
    response.writeHead(417, {
      'x-request-id': requestIdOf(request),
      'content-length': Buffer.byteLength(body),
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    response.end(body)
  })
}
