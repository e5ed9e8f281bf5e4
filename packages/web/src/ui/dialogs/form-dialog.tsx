import { MandateError } from '@mandate/sdk'
import { type ReactNode, useRef } from 'react'
import { Button } from '../actions/button.tsx'
import { useIsShown } from '../browser/use-is-shown.ts'
import { FieldError } from '../fields/field.tsx'
import { Cancel, Dialog } from './dialog.tsx'
import { tell } from './toast.tsx'

interface FormDialogProps {
  title: string
  /** The verb on the button that sends the form. */
  verb: string
  /** Sends the form. Returns false if it sent nothing. The fields show what the server refuses, so its errors end here. */
  act: () => Promise<unknown>
  isBusy: boolean
  /** An error that belongs to none of the fields. */
  fault?: string | undefined
  /** Why the form cannot be sent yet. */
  missing?: string | undefined
  isWide?: boolean
  onClose: () => void
  children: ReactNode
}

/** A dialog with a form: *Cancel*, and a button that sends the form once at a time. */
export function FormDialog(props: FormDialogProps) {
  const { title, verb, act, isBusy, fault, missing, isWide = false, onClose, children } = props
  const isRunning = useRef(false)
  const isShown = useIsShown()
  const submit = async () => {
    if (missing !== undefined) return false
    // `isBusy` is a moment late: a second Enter can arrive before it.
    if (isBusy || isRunning.current) return
    isRunning.current = true
    try {
      return (await act()) !== false
    } catch (failure) {
      if (!(failure instanceof MandateError)) throw failure
      // No field is left to show it.
      if (!isShown.current) tell(failure.message)
      return false
    } finally {
      isRunning.current = false
    }
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      isBusy={isBusy}
      isWide={isWide}
      onSubmit={submit}
      foot={
        <>
          <Cancel onPress={onClose} isBusy={isBusy} />
          <Button type="submit" look="act" isBusy={isBusy} disabledBecause={missing} reason="hidden">
            {verb}
          </Button>
        </>
      }
    >
      {children}
      <FieldError text={fault} />
    </Dialog>
  )
}
