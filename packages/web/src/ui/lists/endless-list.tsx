import { type ReactNode, useEffect, useMemo, useReducer } from 'react'
import { Failed, Loading } from '../texts/notes.tsx'
import css from './endless-list.module.css'
import { EndlessPage } from './endless-page.tsx'
import { firstPages, type Listed, nextPages, type PageOf, type PageQuery, usePage } from './endless-pages.ts'

interface EndlessListProps<P extends PageOf> {
  /** Changes when the list is another one, such as by a filter. Then it starts again at its first page. */
  listKey: string
  pageQuery: PageQuery<P>
  /** Reads the pages in sight again at this interval, in milliseconds. Undefined if they are not read again. */
  againMs: number | undefined
  /** Some rows of a page, as `tr` elements. */
  children: (rows: P['data'], page: P) => ReactNode
  /** The table's head, as `thead`. */
  head: ReactNode
  label: string
  className?: string | undefined
  columns: number
  /** Shown instead of the table if there is no row. */
  none: ReactNode
  /** Told the rows that were read, in order, and whether these are all rows. A list of another key starts without rows. */
  onRows: (rows: readonly Listed[], isAll: boolean) => void
}

/**
 * A table that reads its pages while the reader scrolls, without page buttons. Only rows near the window are in the document, so a list of
 * 250,000 rows costs as much as a short one.
 */
export function EndlessList<P extends PageOf>({ listKey, ...props }: EndlessListProps<P>) {
  return <List key={listKey} {...props} />
}

function List<P extends PageOf>(props: Omit<EndlessListProps<P>, 'listKey'>) {
  const { pageQuery, againMs, children, head, label, className, columns, none, onRows } = props
  const [pages, change] = useReducer(nextPages, firstPages)
  const { data: first, error, refetch } = usePage(pageQuery, 0, undefined)
  const isEmpty = first?.data.length === 0 && first.next_page_token === undefined
  const rows = useMemo(() => (isEmpty ? [] : pages.flatMap((page) => page.rows)), [pages, isEmpty])
  // A page that has a next one is never the last of the list.
  const isAll = pages.at(-1)?.isRead === true
  useEffect(() => onRows(rows, isAll), [rows, isAll, onRows])
  if (error && !first) return <Failed error={error} onRetry={() => void refetch()} />
  if (!first) return <Loading rows={12} />
  if (isEmpty) return none
  return (
    <div className={css.scroller}>
      <table aria-label={label} aria-rowcount={isAll ? rows.length + 1 : -1} className={className}>
        {head}
        {pages.map(({ token }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a page is its place, its token may change
          <EndlessPage key={index} {...{ pageQuery, againMs, index, token, columns, change }}>
            {children}
          </EndlessPage>
        ))}
      </table>
    </div>
  )
}
