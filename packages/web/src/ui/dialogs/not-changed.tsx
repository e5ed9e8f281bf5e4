import { Button } from '../actions/button.tsx'
import { Name } from '../texts/name.tsx'
import { Dialog } from './dialog.tsx'
import css from './not-changed.module.css'

/** An object that an act on many could not change, and why. */
export interface NotChangedRow {
  id: string
  name: string
  error: string
}

interface NotChangedProps {
  /** Such as "2 agents were not changed". */
  title: string
  rows: readonly NotChangedRow[]
  onClose: () => void
}

/** What an act on many objects did not change, with the reason of each. */
export function NotChanged({ title, rows, onClose }: NotChangedProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <Button look="act" onPress={onClose} autoFocus>
          Close
        </Button>
      }
    >
      <ul className={css.faults}>
        {rows.map(({ id, name, error }) => (
          <li key={id}>
            <Name>{name}</Name>: {error}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
