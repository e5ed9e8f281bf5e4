import { destination, type Logger, pino } from 'pino'

/** JSON lines on standard error, which leaves standard output to whoever speaks a protocol on it. */
export function edgeLogger(level: string): Logger {
  return pino(
    { level, redact: ['*.authorization', 'authorization', '*.key', 'key', '*.token', 'token'] },
    destination(2),
  )
}
