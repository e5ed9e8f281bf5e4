import { destination, type Logger, pino } from 'pino'

/** Logs JSON lines to standard error, because standard output may carry a protocol. */
export function edgeLogger(level: string): Logger {
  return pino(
    { level, redact: ['*.authorization', 'authorization', '*.key', 'key', '*.token', 'token'] },
    destination(2),
  )
}
