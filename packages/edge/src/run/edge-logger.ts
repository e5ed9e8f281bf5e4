import { destination, type Logger, pino } from 'pino'

/** Creates a logger that writes JSON lines to standard error. Standard output may be in use for MCP messages. */
export function edgeLogger(level: string): Logger {
  return pino(
    { level, redact: ['*.authorization', 'authorization', '*.key', 'key', '*.token', 'token'] },
    destination(2),
  )
}
