import { createContext, type FormEvent, type ReactNode, useContext, useState } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { Button, type ButtonLook } from '../actions/button.tsx'
import { NoRefusalGroup } from '../actions/refusals.tsx'
import { useAct } from '../actions/use-act.ts'
import { Field, FieldError } from '../fields/field.tsx'
import { typedText } from '../texts/hidden-characters.ts'
import { Name } from '../texts/name.tsx'
import css from './dialog.module.css'
import { DialogLoss, typedForm, type Unsent, useUnsent } from './unsent.ts'
import { useTypedText } from './use-typed-text.ts'

interface DialogProps {
  /** The question that the dialog asks. */
  title: string
  onClose: () => void
  children: ReactNode
  foot: ReactNode
  isWide?: boolean
  /** True while an act of the dialog runs. The dialog then stays open, because closing it would not stop the act. */
  isBusy?: boolean
  /** Sends the form. False if nothing was sent: leaving the dialog then still asks about the text. */
  onSubmit?: () => unknown
}

/** Calls the function that closes the dialog. If a person typed text into the dialog, it asks that person first. */
const Leaving = createContext((close: () => void) => close())

/** A dialog above the page. Escape closes it, and the focus returns to where it was. It asks before it throws typed text away. */
export function Dialog({ title, onClose, children, foot, isWide = false, isBusy = false, onSubmit }: DialogProps) {
  const typed = useTypedText()
  // Closes the dialog if the person answers the question with yes. Undefined while there is no question.
  const [asked, setAsked] = useState<{ close: () => void }>()
  useUnsent({ ...typedForm, isUnsent: typed.isUnsent, isLost: useContext(DialogLoss) })
  const leave = (close: () => void) => (typed.isAny() ? setAsked({ close }) : close())
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    typed.send()
    if ((await onSubmit?.()) === false) typed.keep()
  }
  return (
    <NoRefusalGroup>
      <ModalOverlay isOpen onOpenChange={(isOpen) => !isOpen && !isBusy && leave(onClose)} className={css.scrim ?? ''}>
        <Modal className={isWide ? `${css.dialog} ${css.wide}` : (css.dialog ?? '')}>
          <AriaDialog>
            <form
              ref={typed.form}
              onSubmit={(event) => void submit(event)}
              onFocus={typed.remember}
              onInput={typed.type}
            >
              <div className={css.body}>
                <Heading slot="title" level={2}>
                  <Name>{title}</Name>
                </Heading>
                {children}
              </div>
              <div className={css.foot}>
                <Leaving value={leave}>{foot}</Leaving>
              </div>
            </form>
          </AriaDialog>
        </Modal>
      </ModalOverlay>
      {asked && <LeaveQuestion unsent={[typedForm]} onLeave={asked.close} onStay={() => setAsked(undefined)} />}
    </NoRefusalGroup>
  )
}

interface LeaveQuestionProps {
  /** What is lost. */
  unsent: readonly Pick<Unsent, 'what' | 'verb'>[]
  onLeave: () => void
  onStay: () => void
}

/** Asks before something is lost that a person typed and did not send. */
export function LeaveQuestion({ unsent, onLeave, onStay }: LeaveQuestionProps) {
  const lost = [...new Set(unsent.map(({ what }) => what))]
  return (
    <Confirm
      title="Leave without saving?"
      verb={unsent[0]?.verb ?? typedForm.verb}
      look="danger"
      isFinal
      act={async () => onLeave()}
      onClose={onStay}
    >
      <p>{lost.map((what) => `${what} not saved. `)}Nothing of it is kept.</p>
    </Confirm>
  )
}

interface CancelProps {
  onPress: () => void
  /** True while the act runs. */
  isBusy: boolean
  autoFocus?: boolean
}

/** The button *Cancel*. It does nothing while the act runs, because the request cannot be taken back. */
export function Cancel({ onPress, isBusy, autoFocus = false }: CancelProps) {
  const leave = useContext(Leaving)
  return (
    <Button onPress={() => leave(onPress)} isBusy={isBusy} autoFocus={autoFocus}>
      Cancel
    </Button>
  )
}

interface ConfirmProps {
  title: string
  /** The effect of the act, in numbers. */
  children: ReactNode
  /** The verb on the button. */
  verb: string
  look?: ButtonLook
  /** Does the act. The dialog closes after it, and stays open with the error if it fails. */
  act: (comment: string) => Promise<unknown>
  onClose: () => void
  /** True if the act cannot be undone. The focus is then on *Cancel*. */
  isFinal?: boolean
  /** The name that must be typed, where the API asks for it. Nobody has to type its hidden characters. */
  typed?: string
  /** The label of a text that goes with the act, such as a reason. */
  comment?: { label: string; isRequired?: boolean; maxLength?: number }
  /** True for a dialog that shows more than a few sentences. */
  isWide?: boolean
  /** What must be filled in first, if the dialog has fields of its own. */
  missing?: string | undefined
}

/** The one way to confirm an act. */
export function Confirm(props: ConfirmProps) {
  const { title, children, verb, look = 'act', act, onClose, isFinal = false, isWide = false, typed, comment } = props
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const { run, isBusy, error } = useAct()
  const asked = typed === undefined ? undefined : typedText(typed)
  const missing =
    asked !== undefined && name !== typed && name !== asked
      ? `Type ${asked} first.`
      : comment?.isRequired && text.trim() === ''
        ? `${comment.label} is required.`
        : props.missing
  const submit = () => missing === undefined && run(() => act(text.trim()), onClose)
  const foot = (
    <>
      <Cancel onPress={onClose} isBusy={isBusy} autoFocus={isFinal} />
      <Button type="submit" look={look} isBusy={isBusy} disabledBecause={missing}>
        {verb}
      </Button>
    </>
  )
  return (
    <Dialog title={title} onClose={onClose} foot={foot} onSubmit={submit} isWide={isWide} isBusy={isBusy}>
      {children}
      {comment && (
        <Field
          label={comment.label}
          value={text}
          onChange={setText}
          lines={3}
          maxLength={comment.maxLength ?? 2000}
          autoFocus={!isFinal}
        />
      )}
      {asked !== undefined && (
        // This text only confirms the act. The dialog closes without a question about it.
        <div data-unasked>
          <Field
            label={
              <>
                Type <Name>{asked}</Name> to confirm
              </>
            }
            value={name}
            onChange={setName}
            autoComplete="off"
          />
        </div>
      )}
      <FieldError text={error?.message} />
    </Dialog>
  )
}
