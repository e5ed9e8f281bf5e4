import { type DestinationStream, destination, type Logger, pino } from 'pino'

/** Creates a logger that writes JSON lines to standard error. Standard output may be in use for MCP messages. */
export function edgeLogger(level: string, to: DestinationStream = destination(2)): Logger {
  return pino({ level, redact: ['*.authorization', 'authorization', '*.key', 'key', '*.token', 'token'] }, to)
}
