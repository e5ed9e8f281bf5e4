interface Row {
  id: string
}

export const idsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ id }) => id)

/** How many rows are above the first one that was shown before. Without such a row, the list is another one, and no row waits. */
export function waitingOf(rows: readonly Row[], shown: readonly string[]): number {
  const before = new Set(shown)
  return Math.max(
    0,
    rows.findIndex(({ id }) => before.has(id)),
  )
}
