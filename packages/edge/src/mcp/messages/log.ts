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

const dropped = new WeakMap<object, number>()
const loggedEach = 100

/** Logs a dropped message. Logs the first hundred messages of an agent, and after them only the 128th, the 256th and so on. */
export function logDropped({ guard, server, log }: Dropping, from: 'client' | 'server', why: string): void {
  const count = (dropped.get(guard) ?? 0) + 1
  dropped.set(guard, count)
  if (count > loggedEach && !Number.isInteger(Math.log2(count))) return
  log.warn({ server, from, why, dropped: count }, 'the edge dropped an MCP message')
}
