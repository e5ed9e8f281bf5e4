import { type ReactNode, useId } from 'react'
import css from './check.module.css'

interface CheckProps {
  label: ReactNode
  isOn: boolean
  onChange: (isOn: boolean) => void
  hint?: ReactNode
  /** Why the box cannot be changed. It then stays in the tab order. */
  disabledBecause?: string | undefined
}

/** A box to tick, with its label and a hint. */
export function Check({ label, isOn, onChange, hint, disabledBecause }: CheckProps) {
  const id = useId()
  const note = disabledBecause ?? hint
  return (
    <div className={css.check}>
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        aria-disabled={disabledBecause !== undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        onChange={(event) => disabledBecause === undefined && onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {note && <p id={`${id}-note`}>{note}</p>}
    </div>
  )
}
