import { useLayoutEffect } from 'react'
import { singleKey } from '../../ui/actions/single-key.ts'

/** `?` shows the shortcuts, except in a dialog. */
export function useQuestionMark(show: () => void): void {
  // Before the page is painted, so that no press is lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isInDialog =
        event.target instanceof Element && event.target.closest('[role="dialog"], [role="alertdialog"]')
      if (singleKey(event) !== '?' || isInDialog) return
      event.preventDefault()
      show()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [show])
}
