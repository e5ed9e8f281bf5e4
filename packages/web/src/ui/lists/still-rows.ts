import { useState } from 'react'

interface Known {
  of: string
  ids: ReadonlySet<string>
}

interface Row {
  id: string
}

/**
 * Takes out the rows that are new between or above the known ones. Rows after the last known one are the next page, and are known from then on. Unlike
 * `useHeldRows`, this is for lists whose order is not the time: a new row can arrive anywhere.
 */
export function stillRows<R extends Row>(rows: readonly R[], known: ReadonlySet<string>) {
  const last = rows.findLastIndex(({ id }) => known.has(id))
  // If no known row is left, nothing can move under the pointer.
  if (last === -1) return { shown: rows, waiting: 0 }
  const shown = rows.filter(({ id }, index) => index > last || known.has(id))
  return { shown, waiting: rows.length - shown.length }
}

/** Holds back new rows until the reader asks for them. `of` names the filters of the list. */
export function useStillRows<R extends Row>(rows: readonly R[], of: string) {
  const [known, setKnown] = useState<Known>({ of, ids: new Set() })
  const ids = known.of === of ? known.ids : new Set<string>()
  const { shown, waiting } = stillRows(rows, ids)
  if (known.of !== of || shown.some(({ id }) => !ids.has(id)))
    setKnown({ of, ids: new Set([...ids, ...shown.map(({ id }) => id)]) })
  return { shown, waiting, show: () => setKnown({ of, ids: new Set(rows.map(({ id }) => id)) }) }
}
