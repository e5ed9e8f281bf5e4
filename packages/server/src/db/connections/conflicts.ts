// SQLSTATEs of a deadlock, a lock timeout and a serialization failure.
const conflictStates = new Set(['40P01', '55P03', '40001'])

/** True if the statement failed because of another transaction. A retry may succeed. */
export function isConflict(error: unknown): boolean {
  return conflictStates.has(String((error as { code?: unknown } | null)?.code))
}
