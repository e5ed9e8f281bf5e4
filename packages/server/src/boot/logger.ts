import { type Logger, pino } from 'pino'

const secretFields = [
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
]

// A field may stand at the top, in an object that is logged, or in the headers or body of one.
const paths = secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`])
const headerPaths = ['set-cookie', 'x-api-key'].flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

/** JSON lines on standard output, with secrets struck out wherever an object that holds them is logged. */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = { level, redact: { paths: [...paths, ...headerPaths], censor: '[redacted]' } }
  return destination ? pino(options, destination) : pino(options)
}
