import { LogLimit } from '../../log-limit.ts'

/** The functions of a pino logger that the gateway uses. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

interface Dropping {
  /** The key by which dropped messages are counted. It identifies the agent. */
  readonly guard: object
  readonly server: string
  readonly log: Log
}

const dropped = new WeakMap<object, LogLimit>()

/** Logs a dropped message, within the `LogLimit` of the agent. */
export function logDropped({ guard, server, log }: Dropping, from: 'client' | 'server', why: string): void {
  const limit = dropped.get(guard) ?? new LogLimit()
  dropped.set(guard, limit)
  const count = limit.next()
  if (count !== null) log.warn({ server, from, why, dropped: count }, 'the edge dropped an MCP message')
}
