import { type ReactNode, useState } from 'react'
import { Field } from '../../../ui/fields/field.tsx'

interface TypedFieldProps<V> {
  label: string
  hint?: ReactNode
  value: V
  read: (text: string) => V
  write: (value: V) => string
  onChange: (value: V) => void
  error?: string | undefined
  isMono?: boolean
  onBlur?: () => void
}

/** A field for a value that is not text. What was typed stays while it means the same value. */
export function TypedField<V>({ value, read, write, onChange, ...rest }: TypedFieldProps<V>) {
  const [text, setText] = useState(() => write(value))
  const isSame = JSON.stringify(read(text)) === JSON.stringify(value)
  const shown = isSame ? text : write(value)
  return (
    <Field
      {...rest}
      value={shown}
      onChange={(next) => {
        setText(next)
        onChange(read(next))
      }}
    />
  )
}
