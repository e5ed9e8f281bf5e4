import { useRef, useState } from 'react'
import { useIsShown } from '../browser/use-is-shown.ts'
import { tell } from '../dialogs/toast.tsx'

/** The act of a dialog. It runs once at a time, and its end is shown also if the dialog is gone by then. */
export function useAct() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const isRunning = useRef(false)
  const isShown = useIsShown()
  /**
   * Runs the act unless it runs already. `onDone` closes the dialog, so it is not called if another dialog may be open. Returns false if the act
   * failed.
   */
  const run = async (act: () => Promise<unknown>, onDone?: () => unknown): Promise<boolean | undefined> => {
    // The state is a moment late: a second Enter can arrive before it.
    if (isRunning.current) return undefined
    isRunning.current = true
    setBusy(true)
    setError(undefined)
    try {
      await act()
      if (isShown.current) await onDone?.()
      return true
    } catch (failure) {
      if (isShown.current) setError(failure as Error)
      else tell((failure as Error).message)
      // After a success the dialog closes a moment later. Until then, the act must not run again.
      isRunning.current = false
      setBusy(false)
      return false
    }
  }
  return { run, isBusy, error }
}
