import { memo, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useNear } from '../browser/use-near.ts'
import { Failed } from '../texts/notes.tsx'
import css from './endless-list.module.css'
import { type PageOf, type PageQuery, type PageRead, usePage } from './endless-pages.ts'

interface PageProps<P extends PageOf> {
  pageQuery: PageQuery<P>
  againMs: number | undefined
  index: number
  token: string | undefined
  columns: number
  change: (read: PageRead) => void
  children: (rows: P['data'], page: P) => ReactNode
}

/** The rows of a page enter and leave the document in parts of this size. */
const partRows = 5
const usualRowHeight = 33
const unreadHeight = 10 * usualRowHeight

// How near the window must be, in pixels. Pages are read before their rows are shown, and kept in memory for longer.
const showWithin = 600
const readWithin = 2_000
/** More than the height of a page. */
const keepWithin = 8_000

/** One page, or its place while it is far from the window. */
function Page(props: PageProps<PageOf>) {
  const [isOpen, setOpen] = useState(props.index === 0)
  const heights = useRef<number[]>([])
  if (isOpen) return <OpenPage {...props} heights={heights} onFar={() => setOpen(false)} />
  const height = heights.current.reduce((sum, part) => sum + part, 0) || unreadHeight
  return <ClosedPage height={height} columns={props.columns} onNear={() => setOpen(true)} />
}

export const EndlessPage = memo(Page) as <P extends PageOf>(props: PageProps<P>) => ReactNode

function ClosedPage({ height, columns, onNear }: { height: number; columns: number; onNear: () => void }) {
  const ref = useRef<HTMLTableSectionElement>(null)
  useNear(ref, { initially: false, within: readWithin, onChange: (isNear) => isNear && onNear() })
  return (
    <tbody ref={ref}>
      <Space height={height} columns={columns} />
    </tbody>
  )
}

interface OpenProps extends PageProps<PageOf> {
  /** The heights of the parts in pixels, when they were last shown. */
  heights: RefObject<number[]>
  onFar: () => void
}

function OpenPage(props: OpenProps) {
  const { pageQuery, againMs, index, token, columns, change } = props
  const partsInSight = useRef(new Set<number>())
  const { data, error, refetch } = usePage(pageQuery, index, token)
  useEffect(() => {
    if (data) change({ index, rows: data.data, next: data.next_page_token })
  }, [data, index, change])
  useEffect(() => {
    if (againMs === undefined) return
    // Rows that nobody sees are read again only after rows in sight before them, because a page knows the place of the next one.
    const readInSight = () =>
      !document.hidden && partsInSight.current.size > 0 && void refetch({ cancelRefetch: false })
    const timer = setInterval(readInSight, againMs)
    return () => clearInterval(timer)
  }, [againMs, refetch])
  if (data) return <Parts {...props} page={data} partsInSight={partsInSight} />
  return (
    <tbody>
      {error ? (
        <tr>
          <td colSpan={columns}>
            <Failed error={error} onRetry={() => void refetch()} />
          </td>
        </tr>
      ) : (
        <Space height={unreadHeight} columns={columns} />
      )}
    </tbody>
  )
}

interface PartsProps extends OpenProps {
  page: PageOf
  /** The parts whose rows are in the document. */
  partsInSight: RefObject<Set<number>>
}

function Parts({ page, index, columns, children, heights, partsInSight, onFar }: PartsProps) {
  const first = useRef<HTMLTableSectionElement>(null)
  const last = useRef<HTMLTableSectionElement>(null)
  const isFirstKept = useNear(first, { initially: true, within: keepWithin })
  const isLastKept = useNear(last, { initially: true, within: keepWithin })
  const isFar = !isFirstKept && !isLastKept
  useEffect(() => {
    if (isFar) onFar()
  })
  // An empty page has one part too, so that it is seen when it is far.
  const parts = Math.max(1, Math.ceil(page.data.length / partRows))
  const ends = new Map([
    [parts - 1, last],
    [0, first],
  ])
  return Array.from({ length: parts }, (_, part) => (
    <Part
      // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
      key={part}
      {...{ page, part, columns, children, heights, partsInSight }}
      end={ends.get(part)}
      isFirst={index === 0 && part === 0}
    />
  ))
}

interface PartProps extends Pick<PartsProps, 'page' | 'children' | 'columns' | 'heights' | 'partsInSight'> {
  part: number
  isFirst: boolean
  /** Set for the first and for the last part of a page. */
  end: RefObject<HTMLTableSectionElement | null> | undefined
}

/** Some rows of a page. */
function Part({ page, part, isFirst, end, heights, partsInSight, columns, children }: PartProps) {
  const own = useRef<HTMLTableSectionElement>(null)
  const ref = end ?? own
  const rows = page.data.slice(part * partRows, (part + 1) * partRows)
  const isNear = useNear(ref, {
    initially: isFirst,
    within: showWithin,
    onChange: (_, height) => {
      heights.current[part] = height
    },
  })
  useEffect(() => {
    const { current: parts } = partsInSight
    if (isNear) parts.add(part)
    return () => void parts.delete(part)
  }, [isNear, part, partsInSight])
  const height = heights.current[part] ?? rows.length * usualRowHeight
  return <tbody ref={ref}>{isNear ? children(rows, page) : <Space height={height} columns={columns} />}</tbody>
}

/** Keeps the place of rows that are not in the document. */
const Space = ({ height, columns }: { height: number; columns: number }) => (
  <tr>
    <td colSpan={columns} className={css.gap}>
      <svg className={css.space} width="1" height={height} aria-hidden="true" />
    </td>
  </tr>
)
