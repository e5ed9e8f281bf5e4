/** The part of a pino logger that the gateway uses. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

interface Dropping {
  /** Of the agent. Its messages are counted together. */
  readonly guard: object
  readonly server: string
  readonly log: Log
}

const dropped = new WeakMap<object, number>()
const loggedEach = 100

/** Logs that a message was dropped: the first hundred of an agent each, and of further ones every power of two. */
export function logDropped({ guard, server, log }: Dropping, from: 'client' | 'server', why: string): void {
  const count = (dropped.get(guard) ?? 0) + 1
  dropped.set(guard, count)
  if (count > loggedEach && !Number.isInteger(Math.log2(count))) return
  log.warn({ server, from, why, dropped: count }, 'a message was dropped')
}
