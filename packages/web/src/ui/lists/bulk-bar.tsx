import type { ReactNode } from 'react'
import { counted } from '../../words/words.ts'
import { Button } from '../actions/button.tsx'
import { RefusalGroup } from '../actions/refusals.tsx'
import css from './bulk-bar.module.css'
import { type Picked, unlistedOf } from './picks.ts'

interface BulkBarProps {
  /** Such as "Selected agents". */
  label: string
  picked: Picked<unknown>
  /** The rows that the list shows. */
  rows: readonly { id: string }[]
  onClear: () => void
  /** The buttons of the acts. */
  children: ReactNode
}

/** What can be done with the selected rows of a list. */
export function BulkBar({ label, picked, rows, onClear, children }: BulkBarProps) {
  const unlisted = unlistedOf(picked, rows)
  return (
    <section className={css.bulk} aria-label={label}>
      <b role="status">
        {counted(picked.size, '# selected', '# selected')}
        {unlisted > 0 && counted(unlisted, ', # of them not shown', ', # of them not shown')}
      </b>
      <RefusalGroup>
        {(reasons) => (
          <>
            {children}
            <Button look="plain" onPress={onClear}>
              Clear
            </Button>
            {reasons}
          </>
        )}
      </RefusalGroup>
    </section>
  )
}
