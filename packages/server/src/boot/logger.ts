import { type Logger, pino, stdSerializers } from 'pino'

const secretFields = new Set([
  'authorization',
  'cookie',
  'password',
  'token',
  'raw_key',
  'agent_key',
  'edge_key',
  'access_token',
  'refresh_token',
  'auth_secret',
  'otp',
  'set-cookie',
  'x-api-key',
])

// Log lines are buffered, because writing each line separately costs more time than the rest of a small request.
const gatheredBytes = 4096
const gatheredMs = 200

/**
 * Creates a logger that writes JSON lines to standard output. If the name of a field is in `secretFields`, for example
 * `password`, its value is replaced with `[redacted]`. This also applies to fields of nested plain objects.
 */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const standardOutput = () =>
    pino.destination({ dest: 1, sync: false, minLength: gatheredBytes, periodicFlush: gatheredMs })
  const formatters = { log: redact }
  return pino({ level, formatters, serializers: { err: describeError } }, destination ?? standardOutput())
}

/** Leaves out the raw answer that Node's parser of HTTP keeps in its error: another server sent it. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const described = stdSerializers.err(error)
  return 'rawPacket' in described ? { ...described, rawPacket: undefined } : described
}

function redact(entry: Record<string, unknown>): Record<string, unknown> {
  let redacted: Record<string, unknown> | undefined
  for (const field of Object.keys(entry)) {
    const value = entry[field]
    const safe = secretFields.has(field) ? '[redacted]' : isPlain(value) ? redact(value) : value
    if (safe === value) continue
    redacted ??= { ...entry }
    redacted[field] = safe
  }
  return redacted ?? entry
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
