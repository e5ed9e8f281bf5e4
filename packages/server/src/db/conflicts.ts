// Deadlock, lock timeout, serialization failure.
const conflictStates = new Set(['40P01', '55P03', '40001'])

/** Whether another transaction was in the way: the same statement may succeed a moment later. */
export function isConflict(error: unknown): boolean {
  return conflictStates.has(String((error as { code?: unknown } | null)?.code))
}
