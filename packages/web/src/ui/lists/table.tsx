import type { ReactNode } from 'react'
import { useOverflow } from '../browser/use-overflow.ts'
import { moveWithKeys } from './row-keys.ts'
import css from './table.module.css'
import { useCutText } from './use-cut-text.tsx'

export interface Column<Row> {
  head: string
  cell: (row: Row) => ReactNode
  isNumber?: boolean
  /** True for single words, which are not broken on paper or in a whole table. */
  isWord?: boolean
  /** True for a column of a matrix: a mark in the middle between two lines. */
  isMark?: boolean
  /** True for the buttons of a row. Only screen readers read the head of this column. */
  isActions?: boolean
  /** On a phone a row has two lines: the name with `top` or the actions, and under them `start` and `end`. Other columns are hidden. */
  narrow?: 'top' | 'start' | 'end'
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string
  rows: readonly Row[]
  idOf: (row: Row) => string
  /** The first column names the row. */
  columns: readonly [Column<Row>, ...Column<Row>[]]
  /** True if no cell is shortened or hidden: texts wrap, and on a phone each cell is a line with its head. */
  isWhole?: boolean
}

/** A table with sticky heads. It scrolls sideways where it is wider than its place. */
export function Table<Row>({ label, rows, idOf, columns, isWhole = false }: TableProps<Row>) {
  const [named, ...others] = columns
  const [ref, isWide] = useOverflow<HTMLElement>()
  const { handlers, tooltip } = useCutText()
  const layout = isWhole ? css.whole : columns.some(({ narrow }) => narrow) ? css.lines : undefined
  return (
    <section
      ref={ref}
      className={css.scroller}
      aria-label={label}
      data-wide={isWide}
      tabIndex={isWide ? 0 : undefined}
      onKeyDown={moveWithKeys}
      {...handlers}
    >
      <table className={layout ? `${css.table} ${layout}` : css.table}>
        <thead>
          <tr>
            {columns.map(({ head, isNumber, isMark, isActions }) => (
              <th key={head} scope="col" className={isNumber ? css.number : isMark ? css.mark : undefined}>
                {isActions ? <span className="hidden-text">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              <th scope="row">{named.cell(row)}</th>
              {others.map(({ head, cell, isNumber, isWord, isMark, isActions, narrow }) => (
                <td
                  key={head}
                  className={isActions ? css.actions : isNumber ? css.number : isMark ? css.mark : undefined}
                  data-narrow={isActions ? 'actions' : narrow}
                  data-word={isWord}
                  data-head={isWhole ? head : undefined}
                >
                  {isActions ? <div>{cell(row)}</div> : cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {tooltip}
    </section>
  )
}
