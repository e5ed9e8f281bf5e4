/** The selected rows of a list, by id. Rows that the list does not show any more, such as after a change of a filter, stay selected. */
export type Picked<Row> = ReadonlyMap<string, Row>

/** True if the list shows rows, and all of them are selected. */
export const hasAll = (picked: Picked<unknown>, ids: readonly string[]) =>
  ids.length > 0 && ids.every((id) => picked.has(id))

/** Selects the rows, or takes them out. Other rows stay as they are. */
export function withPicks<Row extends { id: string }>(
  picked: Picked<Row>,
  rows: readonly Row[],
  isPicked: boolean,
): Picked<Row> {
  const next = new Map(picked)
  for (const row of rows) {
    if (isPicked) next.set(row.id, row)
    else next.delete(row.id)
  }
  return next
}

/** The number of selected rows that the list does not show. */
export function unlistedOf(picked: Picked<unknown>, rows: readonly { id: string }[]): number {
  const ids = new Set(rows.map(({ id }) => id))
  return [...picked.keys()].filter((id) => !ids.has(id)).length
}
