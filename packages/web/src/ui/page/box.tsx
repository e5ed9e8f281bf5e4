import { type ReactNode, useId } from 'react'
import css from './box.module.css'

interface BoxProps {
  title: string
  /** Before the title. */
  mark?: ReactNode
  /** At the end of the title's line. */
  aside?: ReactNode
  id?: string
  children: ReactNode
}

/** A frame around something that is apart from the page: a receipt, or the impact of a draft. */
export function Box({ title, mark, aside, id, children }: BoxProps) {
  const titleId = useId()
  return (
    <section className={css.box} aria-labelledby={titleId} id={id} tabIndex={id === undefined ? undefined : -1}>
      <header>
        {mark}
        <h2 id={titleId}>{title}</h2>
        {aside !== undefined && <span className={css.aside}>{aside}</span>}
      </header>
      <div className={css.in}>{children}</div>
    </section>
  )
}
