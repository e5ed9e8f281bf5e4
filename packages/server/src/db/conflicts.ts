// Deadlock, lock timeout, serialization failure.
const conflictStates = new Set(['40P01', '55P03', '40001'])

/** True if another transaction blocked the statement. A retry may succeed. */
export function isConflict(error: unknown): boolean {
  return conflictStates.has(String((error as { code?: unknown } | null)?.code))
}
