import type { ReactNode } from 'react'
import { useOverflow } from '../browser/use-overflow.ts'
import { hasAll, type Picked } from './picks.ts'
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

/** Boxes before the rows, to select rows for an act. The ids of rows that the table does not show any more stay selected. */
export interface Picks<Row> {
  /** What the box of the row says, such as "Select mcp:files/read". Undefined for a row without a box. */
  nameOf: (row: Row) => string | undefined
  /** What the box for all rows says. */
  all: string
  picked: Picked<unknown>
  /** Selects rows, or takes them out. */
  onPick: (rows: readonly Row[], isPicked: boolean) => void
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
  picks?: Picks<Row>
}

/** A table with sticky heads. It scrolls sideways where it is wider than its place. */
export function Table<Row>({ label, rows, idOf, columns, isWhole = false, picks }: TableProps<Row>) {
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
            {picks && <PickAll rows={rows} idOf={idOf} picks={picks} />}
            {columns.map(({ head, isNumber, isMark, isActions }) => (
              <th key={head} scope="col" className={isNumber ? css.number : isMark ? css.mark : undefined}>
                {isActions ? <span className="hidden-text">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)} data-selected={picks?.picked.has(idOf(row))}>
              {picks && <Pick row={row} isPicked={picks.picked.has(idOf(row))} picks={picks} />}
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

function Pick<Row>({ row, isPicked, picks: { nameOf, onPick } }: { row: Row; isPicked: boolean; picks: Picks<Row> }) {
  const name = nameOf(row)
  return (
    <td className={css.pick}>
      {name !== undefined && (
        <input type="checkbox" aria-label={name} checked={isPicked} onChange={() => onPick([row], !isPicked)} />
      )}
    </td>
  )
}

interface PickAllProps<Row> {
  rows: readonly Row[]
  idOf: (row: Row) => string
  picks: Picks<Row>
}

function PickAll<Row>({ rows, idOf, picks: { nameOf, all, picked, onPick } }: PickAllProps<Row>) {
  const some = rows.filter((row) => nameOf(row) !== undefined)
  const isAll = hasAll(picked, some.map(idOf))
  return (
    <td className={css.pick}>
      {some.length > 0 && (
        <input type="checkbox" aria-label={all} checked={isAll} onChange={() => onPick(some, !isAll)} />
      )}
    </td>
  )
}
