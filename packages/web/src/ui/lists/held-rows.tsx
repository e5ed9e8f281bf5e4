import { useState } from 'react'
import { counted } from '../../words/words.ts'
import { Button } from '../actions/button.tsx'
import { idsOf, waitingOf } from './waiting-rows.ts'

interface Held<Row> {
  /** The rows that are shown. */
  shown: readonly Row[]
  /** How many rows arrived above them. */
  waiting: number
  show: () => void
}

/** Holds back rows that arrive above the shown ones, so that nothing moves under the pointer. `of` names the filters of the list. */
export function useHeldRows<Row extends { id: string }>(rows: readonly Row[], of: string): Held<Row> {
  const [seen, setSeen] = useState({ of, ids: idsOf(rows) })
  const waiting = seen.of === of ? waitingOf(rows, seen.ids) : 0
  const shown = rows.slice(waiting)
  const ids = idsOf(shown)
  if (seen.of !== of || seen.ids.join() !== ids.join()) setSeen({ of, ids })
  return { shown, waiting, show: () => setSeen({ of, ids: idsOf(rows) }) }
}

/** The button that shows the rows that were held back, such as "3 new entries, show them". */
export function NewRows({
  waiting,
  one,
  other,
  show,
}: {
  waiting: number
  one: string
  other: string
  show: () => void
}) {
  return (
    <div role="status">
      {waiting > 0 && (
        <Button onPress={show}>{counted(waiting, `# new ${one}, show it`, `# new ${other}, show them`)}</Button>
      )}
    </div>
  )
}
