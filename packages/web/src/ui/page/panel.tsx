import { type ReactNode, useId } from 'react'
import { RefusalGroup } from '../actions/refusals.tsx'
import { Name } from '../texts/name.tsx'
import css from './panel.module.css'

interface PanelProps {
  title: string
  /** Beside the title. */
  legend?: ReactNode
  /** At the end of the title's line, such as a link to the whole list. */
  more?: ReactNode
  children: ReactNode
}

/** A part of a page: a heading on a line, and what belongs to it. */
export function Panel({ title, legend, more, children }: PanelProps) {
  const id = useId()
  return (
    <section className={css.panel} aria-labelledby={id}>
      <RefusalGroup>
        {(reasons) => (
          <>
            <header>
              <h2 id={id}>
                <Name>{title}</Name>
              </h2>
              {legend}
              {more && <span className={css.more}>{more}</span>}
            </header>
            {reasons}
          </>
        )}
      </RefusalGroup>
      {children}
    </section>
  )
}
