import { type ReactNode, useEffect, useId, useRef } from 'react'
import { tooLong } from '../../words/field-errors.ts'
import { Glyph } from '../texts/glyph.tsx'
import { visibleText } from '../texts/hidden-characters.ts'
import css from './field.module.css'

export interface FieldProps {
  label: ReactNode
  value: string
  onChange: (value: string) => void
  /** Of `email`, the browser only shows the keyboard. It would refuse letters that the server takes, such as `mél@example.com`. */
  type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'date' | 'datetime-local'
  hint?: ReactNode
  /** The words of the server about this field. */
  error?: string | undefined
  autoComplete?: string
  inputMode?: 'numeric' | 'text' | 'email'
  /** The longest text that the server takes. A longer one is not cut: the field says how long it is, and the form is not sent. */
  maxLength?: number
  isRequired?: boolean
  autoFocus?: boolean
  isTall?: boolean
  isMono?: boolean
  /** Called when the focus leaves the field. */
  onBlur?: (() => void) | undefined
  /** Number of lines. More than one makes a text area. */
  lines?: number
}

const kindOf = (type: NonNullable<FieldProps['type']>) =>
  type === 'email'
    ? ({ type: 'text', inputMode: 'email', autoCapitalize: 'none', spellCheck: false } as const)
    : { type }

/** A visible label with its control, a hint, and the error under it. The value stays after an error. */
export function Field({ label, hint, error: refused, isTall = false, lines = 1, maxLength, ...rest }: FieldProps) {
  const id = useId()
  const long = tooLong(rest.value, maxLength)
  const error = long ?? refused
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The browser then refuses to send the form, and moves the focus to the field.
    box.current?.querySelector<HTMLInputElement>('input, textarea')?.setCustomValidity(long ?? '')
  }, [long])
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined
  const { value, onChange, type = 'text', isRequired, isMono = false, ...attributes } = rest
  const control = {
    id,
    value,
    required: isRequired,
    className: `${css.input} ${isMono ? 'mono' : ''}`,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': described,
    ...attributes,
  }
  return (
    <div ref={box} className={[css.field, error && css.bad, isTall && css.tall].filter(Boolean).join(' ')}>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      {lines > 1 ? (
        <textarea {...control} rows={lines} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input {...control} {...kindOf(type)} onChange={(event) => onChange(event.target.value)} />
      )}
      {hint && (
        <p id={`${id}-hint`} className={css.hint}>
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} text={error} />
    </div>
  )
}

interface SelectFieldProps<V extends string> {
  label: string
  value: V
  onChange: (value: V) => void
  options: readonly { value: V; text: string }[]
  hint?: ReactNode
  error?: string | undefined
  /** Called when the focus leaves the field. */
  onBlur?: (() => void) | undefined
}

/** A choice of a few values. */
export function SelectField<V extends string>(props: SelectFieldProps<V>) {
  const { label, value, onChange, options, hint, error, onBlur } = props
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined
  return (
    <div className={error ? `${css.field} ${css.bad}` : css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      <span className={css.select}>
        <select
          id={id}
          className={css.input}
          value={value}
          onChange={(event) => onChange(event.target.value as V)}
          onBlur={onBlur}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={described}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {visibleText(option.text)}
            </option>
          ))}
        </select>
        <Glyph name="down" />
      </span>
      {hint && (
        <p id={`${id}-hint`} className={css.hint}>
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} text={error} />
    </div>
  )
}

/** An error of a field or of a form. Screen readers read it when it appears. */
export function FieldError({ id, text }: { id?: string; text: string | undefined }) {
  return (
    <div id={id} role="alert" className={css.error} hidden={!text}>
      {text && (
        <>
          <Glyph name="warn" />
          <span>{text}</span>
        </>
      )}
    </div>
  )
}
