import { useLayoutEffect } from 'react'
import { singleKey } from '../../ui/actions/single-key.ts'
import { rowLinks } from '../../ui/lists/row-keys.ts'

/** `J` and `K` go to the first row of the page's list while the focus is outside it. Inside, the list moves the focus itself. */
export function useListKeys(): void {
  // Before the page is painted, so that no press is lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const key = singleKey(event)
      if ((key !== 'j' && key !== 'k') || event.defaultPrevented || isInListOrDialog(event.target)) return
      const first = document.querySelector('main')?.querySelector<HTMLElement>(rowLinks)
      if (!first) return
      event.preventDefault()
      first.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

const isInListOrDialog = (target: EventTarget | null) =>
  target instanceof Element &&
  (target.closest(`[role="dialog"], [role="alertdialog"], [role="menu"], ${rowLinks}`) !== null ||
    target.closest('tr')?.querySelector(rowLinks) != null)
