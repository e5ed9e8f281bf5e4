import type { ReactNode } from 'react'
import { counted } from '../../words/words.ts'
import { Button } from '../actions/button.tsx'
import { RefusalGroup } from '../actions/refusals.tsx'
import css from './bulk-bar.module.css'

interface BulkBarProps {
  /** Such as "Selected agents". */
  label: string
  count: number
  onClear: () => void
  /** The buttons of the acts. */
  children: ReactNode
}

/** What can be done with the selected rows of a list. */
export function BulkBar({ label, count, onClear, children }: BulkBarProps) {
  return (
    <section className={css.bulk} aria-label={label}>
      <b role="status">{counted(count, '# selected', '# selected')}</b>
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
