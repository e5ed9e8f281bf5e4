import { type ReactNode, useId, useState } from 'react'
import { counted } from '../../words/words.ts'
import { Button } from '../actions/button.tsx'
import { State } from '../page/state.tsx'
import css from './foreign-text.module.css'
import { Glyph } from './glyph.tsx'
import { hiddenIn, shownParts, startOf } from './hidden-characters.ts'

/** A text that an agent or a stranger wrote. It is always text, its direction is isolated, and its hidden characters are visible. */
export function ForeignText({ text }: { text: string }) {
  return (
    <bdi className={css.text}>
      {shownParts(text).map((part, index) =>
        'text' in part ? (
          part.text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
          <span key={index} className={css.chip} title={part.why}>
            {part.chip}
            <span className="hidden-text"> ({part.why})</span>
          </span>
        ),
      )}
    </bdi>
  )
}

interface ForeignFrameProps {
  /** Says who wrote the text. */
  title: string
  /** Says what Mandate did with it. */
  note: string
  /** At the end of the head, such as a digest. */
  aside?: ReactNode
  children: ReactNode
}

/** The frame around text that agents wrote. Buttons that act never sit inside it. */
export function ForeignFrame({ title, note, aside, children }: ForeignFrameProps) {
  const id = useId()
  return (
    <section className={css.frame} aria-labelledby={id}>
      <header>
        <Glyph name="info" />
        <p>
          <b id={id}>{title}</b> {note}
        </p>
        {aside}
      </header>
      {children}
    </section>
  )
}

export interface ForeignValue {
  name: string
  value: unknown
  /** Why this value matters, such as the condition of the rule. */
  hit?: string | undefined
}

const mostRows = 12

/** Names and values that an agent sent, as JSON. Values with a `hit` are marked, and are never among the hidden rows. */
export function ForeignValues({ caption, values }: { caption: string; values: readonly ForeignValue[] }) {
  const [isWhole, setWhole] = useState(false)
  const rows = isWhole ? values : values.filter(({ hit }, index) => index < mostRows || hit !== undefined)
  return (
    <>
      <table className={css.values}>
        <caption className="hidden-text">{caption}</caption>
        <tbody>
          {rows.map((row) => (
            <ValueRow key={row.name} {...row} />
          ))}
        </tbody>
      </table>
      {rows.length < values.length && (
        <Button look="plain" onPress={() => setWhole(true)}>
          {counted(values.length, 'Show all # value', 'Show all # values')}
        </Button>
      )}
    </>
  )
}

function ValueRow({ name, value, hit }: ForeignValue) {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : JSON.stringify(value)
  // JSON writes some hidden characters as escapes, so they are counted in the texts themselves.
  const hidden = hiddenIn(text) + hiddenIn(name)
  return (
    <tr className={hit === undefined ? undefined : css.hit}>
      <th scope="row">
        <ForeignText text={name} />
      </th>
      <td>
        <LongText text={text} />
      </td>
      <td className={css.why}>
        {hit !== undefined && <State glyph="hold" tone="hold" word={<ForeignText text={hit} />} />}
        {hidden > 0 && (
          <State glyph="warn" tone="hold" word={counted(hidden, '# hidden character', '# hidden characters')} />
        )}
      </td>
    </tr>
  )
}

/** At most 12 lines of a text, then *Show all*. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const start = startOf(text)
  if (isWhole || start.length === text.length) return <ForeignText text={text} />
  return (
    <>
      <ForeignText text={`${start}…`} />
      <span className={css.all}>
        <Button look="plain" onPress={() => setWhole(true)}>
          {counted(text.length, 'Show all # character', 'Show all # characters')}
        </Button>
      </span>
    </>
  )
}
