import type { KeyboardEvent } from 'react'
import { singleKey } from '../actions/single-key.ts'

/** The links that name the rows of a list, and those of a table. */
export const rowLinks = '[data-row], tbody th[scope="row"] a:first-of-type'

/**
 * Moves the focus with `J` and `K` between the links that name the rows of a list, and selects the row of the focus with `X` if it has a box. It
 * works only while the focus is inside the list.
 */
export function moveWithKeys(event: KeyboardEvent<HTMLElement>): void {
  const key = singleKey(event.nativeEvent)
  const isDone = key === 'x' ? toggleRow() : key === 'j' ? move(event, 1) : key === 'k' && move(event, -1)
  if (isDone) event.preventDefault()
}

function move(event: KeyboardEvent<HTMLElement>, step: 1 | -1): boolean {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(rowLinks)]
  const inside = rows.findIndex(
    (row) => row === document.activeElement || row.closest('tr')?.contains(document.activeElement),
  )
  const next = rows[inside + step]
  next?.focus()
  return next !== undefined
}

function toggleRow(): boolean {
  const box = document.activeElement?.closest('tbody tr')?.querySelector<HTMLInputElement>('input[type="checkbox"]')
  box?.click()
  return box != null
}
