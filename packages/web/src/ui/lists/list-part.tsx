import type { ReactNode } from 'react'
import type { List } from '../../api/use-list.ts'
import { numberOf } from '../../words/words.ts'
import { Button } from '../actions/button.tsx'
import { Failed, Loading } from '../texts/notes.tsx'
import css from './list-part.module.css'

interface ListPartProps<Row> {
  list: List<Row>
  /** Shown instead of an empty list: what the list is, or which filters nothing matches. */
  empty: ReactNode
  children: (rows: Row[]) => ReactNode
}

/** A list in each of its states: loading, failed, empty, and with rows and the button for more of them. */
export function ListPart<Row>({ list, empty, children }: ListPartProps<Row>) {
  const { rows, error, retry, readMore } = list
  if (!rows) return error ? <Failed error={error} onRetry={retry} /> : <Loading />
  if (rows.length === 0 && !readMore) return empty
  return (
    <>
      {children(rows)}
      <ListEnd list={list} />
    </>
  )
}

/** What follows the rows of a list: the button for more of them, and why they could not be read. */
export function ListEnd<Row>({ list: { rows = [], total, error, retry, readMore, isReading } }: { list: List<Row> }) {
  return (
    <>
      {readMore && (
        <div className={css.more}>
          <span className="on-paper">
            The list continues. These are the rows that the page had read when it was printed.
          </span>
          <Button onPress={readMore} isBusy={isReading}>
            Show more
          </Button>
          {total !== undefined && (
            <span>
              {numberOf(rows.length)} of {numberOf(total)} shown
            </span>
          )}
        </div>
      )}
      {error && <Failed error={error} onRetry={retry} />}
    </>
  )
}
