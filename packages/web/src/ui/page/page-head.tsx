import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { RefusalGroup } from '../actions/refusals.tsx'
import { Name } from '../texts/name.tsx'
import { HistoryLink, type HistoryOf } from './history-link.tsx'
import { mayTakeFocus } from './new-page-focus.ts'
import css from './page-head.module.css'
import { useOwnName } from './page-name.ts'

interface PageHeadProps {
  /** The text of `h1`, and of the tab of the browser. */
  name: string
  /** States beside the name. */
  states?: ReactNode
  actions?: ReactNode
  /** The object of the page, for a link to its part of the audit trail. */
  history?: HistoryOf
  /** The sentence that answers the question of the page. Undefined while the data is loading. */
  sentence?: ReactNode
  /** The first clause of the sentence as text. Screen readers hear the sentence again if it changes. */
  firstClause?: string
  /** A short fact under the sentence. */
  note?: ReactNode
  /** True if the sentence does not change while the page is open. It then takes only the lines that it needs. */
  isStill?: boolean
}

/** The head of a page: its name, its actions, and its sentence. */
export function PageHead(props: PageHeadProps) {
  const { name, states, actions, history, sentence, note, firstClause, isStill = false } = props
  useOwnName(name)
  const heading = useFocusOnNewPage()
  const announced = useAnnounced(firstClause)
  return (
    <RefusalGroup>
      {(reasons) => (
        <div className={css.head}>
          <div className={css.name}>
            <h1 ref={heading} tabIndex={-1}>
              <Name>{name}</Name>
            </h1>
            {states}
            {history && <HistoryLink of={history} />}
          </div>
          <div className={css.actions}>{actions}</div>
          <div className={css.text} data-still={isStill}>
            <p className={css.sentence}>{sentence}</p>
            {note && <p className={css.note}>{note}</p>}
            {reasons}
          </div>
          <p className="hidden-text" role="status">
            {announced}
          </p>
        </div>
      )}
    </RefusalGroup>
  )
}

let isFirstPage = true

/** Moves the focus to the name of a new page, so that screen readers announce it. The first page of a visit keeps the focus of the browser. */
function useFocusOnNewPage() {
  const heading = useRef<HTMLHeadingElement>(null)
  // Before the page is painted. Later, the person may have opened a menu of the page.
  useLayoutEffect(() => {
    if (!isFirstPage && mayTakeFocus()) heading.current?.focus()
    isFirstPage = false
  }, [])
  return heading
}

/** The part of a sentence about what is fine. */
export const Calm = ({ children }: { children: ReactNode }) => <span className={css.calm}>{children}</span>

const shortestMs = 30_000

/**
 * Returns the text after it has changed. A new text waits until 30 seconds after the last one, and no old text is returned meanwhile. The first
 * text is not returned, because a screen reader reads it in the page.
 */
function useAnnounced(text: string | undefined): string | undefined {
  const [announced, setAnnounced] = useState<string>()
  const read = useRef<string>(undefined)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (text === undefined) return
    read.current ??= text
    if (text === (announced ?? read.current)) return
    const announce = () => {
      changedAt.current = Date.now()
      setAnnounced(text)
    }
    const timer = setTimeout(announce, Math.max(0, changedAt.current + shortestMs - Date.now()))
    return () => clearTimeout(timer)
  }, [text, announced])
  return announced === text ? announced : undefined
}
