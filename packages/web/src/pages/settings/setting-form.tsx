import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../../ui/actions/button.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { leavesPage, typedForm, useUnsent } from '../../ui/dialogs/unsent.ts'
import { FieldError } from '../../ui/fields/field.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import css from './settings.module.css'

interface SettingFormProps<F extends string> {
  /** The fields whose errors are shown at the field. */
  fields: readonly F[]
  save: () => Promise<unknown>
  /** What is said after the form was saved. */
  saved: string
  verb?: string
  disabledBecause?: string | undefined
  /** True while there is nothing to save. Undefined for a form whose values are only secrets. */
  isUnchanged?: boolean
  /** The question before the form is saved, with the effect. Without it, the form is saved at once. */
  question?: { title: string; effect: ReactNode } | undefined
  /** The values for a person who may not change them. */
  plain?: readonly (readonly [label: string, value: ReactNode | undefined])[]
  children: (errors: Partial<Record<F, string>>) => ReactNode
}

/** A form that is saved with one button. What was typed stays after an error. */
export function SettingForm<F extends string>(props: SettingFormProps<F>) {
  const { fields, save, saved, verb = 'Save', isUnchanged, question, children } = props
  const disabledBecause = props.disabledBecause ?? (isUnchanged ? 'Nothing is changed.' : undefined)
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  useUnsent({
    ...typedForm,
    isUnsent: () => isUnchanged === false && !isBusy && props.disabledBecause === undefined,
    isLost: leavesPage('tab'),
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || disabledBecause !== undefined) return
    if (question) {
      setAsking(true)
      return
    }
    setBusy(true)
    setError(undefined)
    try {
      await save()
      tell(saved)
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setBusy(false)
    }
  }
  const { of, rest } = errorOfField(error, fields)
  return (
    <>
      <form className={css.form} onSubmit={(event) => void submit(event)} noValidate>
        {props.disabledBecause === undefined ? children(of) : <KeyValues rows={props.plain ?? []} />}
        <FieldError text={rest} />
        <div className={css.row}>
          <Button
            type="submit"
            look="act"
            isBusy={isBusy}
            disabledBecause={disabledBecause}
            reason={props.disabledBecause === undefined ? 'hidden' : 'beside'}
          >
            {verb}
          </Button>
        </div>
      </form>
      {isAsking && question && (
        <Confirm
          title={question.title}
          verb={verb}
          isFinal
          act={async () => {
            await save()
            tell(saved)
          }}
          onClose={() => setAsking(false)}
        >
          {question.effect}
        </Confirm>
      )}
    </>
  )
}
