import css from './segments.module.css'

interface SegmentsProps<V extends string> {
  /** What is chosen, for screen readers. */
  label: string
  value: V
  onChange: (value: V) => void
  options: readonly { value: V; text: string }[]
}

/** Buttons for a choice of two or three, in one frame. */
export function Segments<V extends string>({ label, value, onChange, options }: SegmentsProps<V>) {
  return (
    <fieldset className={css.segments}>
      <legend className="hidden-text">{label}</legend>
      {options.map(({ value: own, text }) => (
        <button key={own} type="button" aria-pressed={own === value} onClick={() => onChange(own)}>
          {text}
        </button>
      ))}
    </fieldset>
  )
}
