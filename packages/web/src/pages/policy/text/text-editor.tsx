import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { useSettled } from '../../../ui/browser/use-settled.ts'
import { FieldError } from '../../../ui/fields/field.tsx'
import { Loading } from '../../../ui/texts/notes.tsx'
import { counted } from '../../../words/words.ts'
import { type Fault, type Mark, marksOf, mostMarks } from './fault-marks.ts'
import { PlainEditor } from './plain-editor.tsx'
import css from './text-editor.module.css'

// The editor is loaded when it opens for the first time.
const CodeEditor = lazy(async () => {
  const loaded = await import('./code-editor.tsx').catch(() => undefined)
  return { default: loaded?.CodeEditor ?? PlainEditor }
})

const label = 'Policy as JSON'
const hint = 'Tab indents. Escape and then Tab leaves the editor. Ctrl F finds, and F8 goes to the next error.'

export interface TextEditorProps {
  text: string
  onChange: (text: string) => void
  /** Why the text is no document. */
  error: string | undefined
  /** What the server says about the document. */
  faults: readonly Fault[]
  /** False while the server checks the document. */
  isChecked: boolean
}

/** A document as text. Each fault is shown at its line. */
export function TextEditor(props: TextEditorProps) {
  const { text, onChange, error } = props
  const { marks, unplaced, count } = useMarks(props)
  const [goTo, setGoTo] = useState<Mark>()
  const total = count > 0 ? counted(count, '# place needs a fix.', '# places need a fix.') : undefined
  const problem = error === undefined ? (unplaced ?? total) : marks[0]?.message
  return (
    <div className={css.editor}>
      <p className={css.label}>{label}</p>
      <Suspense fallback={<Loading rows={12} />}>
        <CodeEditor
          label={label}
          hint={hint}
          text={text}
          onChange={onChange}
          marks={marks}
          isBad={problem !== undefined}
          goTo={goTo}
        />
      </Suspense>
      <p className={css.hint}>{hint}</p>
      <FieldError text={problem} />
      {error === undefined && marks.length > 0 && (
        <ul className={css.faults}>
          {marks.map((mark) => (
            <li key={`${mark.from} ${mark.message}`}>
              <button type="button" onClick={() => setGoTo({ ...mark })}>
                Line {mark.line}
              </button>{' '}
              {mark.message}
            </li>
          ))}
          {count > mostMarks && <li>{counted(count - mostMarks, 'And # more.', 'And # more.')}</li>}
        </ul>
      )}
    </div>
  )
}

const none: Shown = { marks: [], unplaced: undefined, count: 0 }
interface Shown {
  marks: readonly Mark[]
  /** A fault that has no line, such as a failed check. */
  unplaced: string | undefined
  count: number
}

/** The faults of the text. They change when a check has ended and nobody types, so that lines do not jump while somebody types. */
function useMarks({ text, error, faults, isChecked }: TextEditorProps): Shown {
  const shown = useRef(none)
  const isTyping = useSettled(text) !== text
  const found = useMemo(
    () => ({
      marks: marksOf(text, error, faults),
      unplaced: faults.find(({ path }) => path === '')?.message,
      count: faults.filter(({ path }) => path !== '').length,
    }),
    [text, error, faults],
  )
  if (isChecked && !isTyping) shown.current = found
  return shown.current
}
