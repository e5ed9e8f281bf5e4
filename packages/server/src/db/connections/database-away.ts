import pg from 'pg'

/**
 * Thrown if the database cannot be reached, is starting or stopping, or if the connection was lost before the response. The
 * current transaction was either committed completely or not at all. The server does not know which.
 */
export class DatabaseAway extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Thrown if the disk of the database is full. The transaction was rolled back. */
export class DatabaseFull extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

// SQLSTATEs of a failed connection: class 08 (connection exception), 53300 (too many connections), 57P0x (shutdown, cannot
// connect now), and the two timeouts after which PostgreSQL closes a connection (25P03, 25P04). 08P01 (protocol violation) is
// excluded.
const awayStates = /^(08(?!P01)...|53300|57P0[1-35]|25P0[34])$/
const fullState = '53100'

// A lost connection is recognized by the error code of the socket. Errors that the driver creates have no code, so they are
// recognized by their message.
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

/**
 * Converts an error of the driver. Returns `DatabaseAway` if the connection failed and `DatabaseFull` if the disk is full.
 * Returns all other errors unchanged.
 */
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
