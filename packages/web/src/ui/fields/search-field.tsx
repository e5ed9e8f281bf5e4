import { useEffect, useRef, useState } from 'react'
import { Glyph } from '../texts/glyph.tsx'
import { OwnValues } from './own-values.ts'
import css from './search-field.module.css'

/** A pause in typing of this length starts the search. A newer search aborts the requests of the one before. */
const waitMs = 50

export interface SearchFieldProps {
  label: string
  value: string
  onChange: (text: string) => void
  maxLength?: number
  /** True if the label is above the field, and not in it. */
  hasLabelAbove?: boolean
  /** True if a part of the text is not valid, so that only *Enter* or leaving the field applies it. */
  isWhole?: boolean
}

/** A text that filters a list. A change of the value from elsewhere, such as *Back*, replaces what was typed. */
export function SearchField({
  label,
  value,
  onChange,
  maxLength = 200,
  hasLabelAbove = false,
  isWhole = false,
}: SearchFieldProps) {
  const [text, setText] = useState(value)
  const applied = useRef(value)
  const [own] = useState(() => new OwnValues())
  const change = useRef(onChange)
  change.current = onChange
  const apply = (next: string) => {
    if (next === applied.current) return
    applied.current = next
    own.add(next)
    change.current(next)
  }
  useEffect(() => {
    // What this field applied may come back after the next letter was typed.
    if (own.take(value) || value === applied.current) return
    applied.current = value
    setText(value)
  }, [value, own])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    if (isWhole) return
    const timer = setTimeout(() => apply(text.trim()), waitMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <label className={css.search}>
      <span className={hasLabelAbove ? css.label : 'hidden-text'}>{label}</span>
      {!hasLabelAbove && <Glyph name="search" />}
      <input
        type="search"
        value={text}
        maxLength={maxLength}
        placeholder={hasLabelAbove ? undefined : label}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onBlur={() => apply(text.trim())}
        onKeyDown={({ key }) => key === 'Enter' && apply(text.trim())}
      />
    </label>
  )
}
