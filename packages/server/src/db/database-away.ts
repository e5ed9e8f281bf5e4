import pg from 'pg'

/**
 * The database cannot be reached, is starting or stopping, or went away before it answered. What was under way is stored
 * whole or not at all; which of the two is not known here.
 */
export class DatabaseAway extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** The disk of the database is full. The transaction was rolled back. */
export class DatabaseFull extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

// Of the classes "connection exception" (08), "too many connections" (53300), "shutdown" and "cannot connect now" (57P0x), and the
// two timeouts by which PostgreSQL ends a connection (25P03, 25P04).
const awayStates = /^(08(?!P01)...|53300|57P0[1-35]|25P0[34])$/
const fullState = '53100'

// What the socket says, and the driver's own words, which carry no code.
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
const driverWords = /^(Connection terminated|Client (has encountered|was closed)|timeout expired|timeout exceeded)/

/** An error of the driver as verbs see it: `DatabaseAway` if the connection failed, `DatabaseFull` if the disk is full, else the error. */
export function explainDriverError(error: unknown): unknown {
  if (error instanceof DatabaseAway || !(error instanceof Error)) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof pg.DatabaseError && code === fullState) return new DatabaseFull(error)
  const away = error instanceof pg.DatabaseError ? awayStates.test(code ?? '') : isOfConnection(code, message)
  return away ? new DatabaseAway(error) : error
}

function isOfConnection(code: string | undefined, message: string): boolean {
  return socketCodes.has(code ?? '') || driverWords.test(message)
}
