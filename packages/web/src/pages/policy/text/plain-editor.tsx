import { useEffect, useId, useRef } from 'react'
import type { Mark } from './fault-marks.ts'
import css from './text-editor.module.css'

export interface PlainEditorProps {
  label: string
  hint: string
  text: string
  onChange: (text: string) => void
  marks: readonly Mark[]
  isBad: boolean
  /** The mark to show. A new object moves the cursor there. */
  goTo: Mark | undefined
}

const mostRows = 36

/** The text without the help of an editor, for a browser that could not load the editor. */
export function PlainEditor({ label, text, onChange, isBad, goTo }: PlainEditorProps) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (!goTo) return
    field.current?.setSelectionRange(goTo.from, goTo.to)
    field.current?.focus()
  }, [goTo])
  return (
    <>
      <p id={`${id}-note`}>The editor could not be loaded. This field changes the same text.</p>
      <textarea
        ref={field}
        className={isBad ? `${css.plain} ${css.bad}` : css.plain}
        aria-label={label}
        aria-describedby={`${id}-note`}
        aria-invalid={isBad}
        value={text}
        rows={Math.min(mostRows, text.split('\n').length + 1)}
        wrap="off"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        onChange={(event) => onChange(event.target.value)}
      />
    </>
  )
}
