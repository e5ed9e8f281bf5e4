import { type ReactNode, useEffect, useReducer } from 'react'
import { Failed, Loading } from '../texts/notes.tsx'
import css from './endless-list.module.css'
import { EndlessPage } from './endless-page.tsx'
import { firstPages, nextPages, type PageOf, type PageQuery, usePage } from './endless-pages.ts'

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
  /** Told the rows of each page that was read. */
  onRead?: (rows: P['data']) => void
  /** Told how many rows were read, and whether there are more. */
  onCount?: (rows: number, isAll: boolean) => void
}

/**
 * A table that reads its pages while the reader scrolls, without page buttons. Only rows near the window are in the document, so a list of
 * 250,000 rows costs as much as a short one.
 */
export function EndlessList<P extends PageOf>({ listKey, ...props }: EndlessListProps<P>) {
  return <List key={listKey} {...props} />
}

function List<P extends PageOf>(props: Omit<EndlessListProps<P>, 'listKey'>) {
  const { pageQuery, againMs, children, head, label, className, columns, none, onRead, onCount } = props
  const [pages, change] = useReducer(nextPages, firstPages)
  const { data: first, error, refetch } = usePage(pageQuery, 0, undefined)
  const rows = pages.reduce((sum, page) => sum + page.rows, 0)
  // A page that has a next one is never the last of the list.
  const isAll = pages.at(-1)?.isRead === true
  useEffect(() => onCount?.(rows, isAll), [rows, isAll, onCount])
  if (error && !first) return <Failed error={error} onRetry={() => void refetch()} />
  if (!first) return <Loading rows={12} />
  if (first.data.length === 0 && first.next_page_token === undefined) return none
  return (
    <div className={css.scroller}>
      <table aria-label={label} aria-rowcount={isAll ? rows + 1 : -1} className={className}>
        {head}
        {pages.map(({ token }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a page is its place, its token may change
          <EndlessPage key={index} {...{ pageQuery, againMs, index, token, columns, onRead, change }}>
            {children}
          </EndlessPage>
        ))}
      </table>
    </div>
  )
}
