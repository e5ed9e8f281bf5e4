import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino'

/** Creates a logger that writes JSON lines to standard error. Standard output may be in use for MCP messages. */
export function edgeLogger(level: string, to: DestinationStream = destination(2)): Logger {
  const redact = ['*.authorization', 'authorization', '*.key', 'key', '*.token', 'token']
  return pino({ level, redact, serializers: { err: describeError } }, to)
}

/** Other fields of an error may have what a server sent: Node's parser of HTTP keeps the raw answer. */
const loggedFields = ['type', 'message', 'stack', 'code', 'errno', 'syscall', 'address', 'port', 'status'] as const

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const described: Record<string, unknown> = stdSerializers.err(error)
  return Object.fromEntries(loggedFields.flatMap((field) => (field in described ? [[field, described[field]]] : [])))
}
