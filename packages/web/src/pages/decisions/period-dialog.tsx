import { useState } from 'react'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { instantOf, localText } from './local-time.ts'

interface PeriodDialogProps {
  from: string | undefined
  to: string | undefined
  onChange: (times: { from: string | undefined; to: string | undefined }) => void
  onClose: () => void
}

/** Asks for the two times of a period, in the time zone of the reader. */
export function PeriodDialog({ from, to, onChange, onClose }: PeriodDialogProps) {
  const [start, setStart] = useState(localText(from))
  const [end, setEnd] = useState(localText(to))
  const times = { from: instantOf(start), to: instantOf(end) }
  const isReversed = times.from !== undefined && times.to !== undefined && times.from >= times.to
  return (
    <Confirm
      title="Which period?"
      verb="Show"
      missing={
        times.from === undefined && times.to === undefined
          ? 'Fill in one of the two times.'
          : isReversed
            ? 'The start must be before the end.'
            : undefined
      }
      act={async () => onChange(times)}
      onClose={onClose}
    >
      <Field label="From" type="datetime-local" value={start} onChange={setStart} autoFocus />
      <Field
        label="To"
        type="datetime-local"
        value={end}
        onChange={setEnd}
        hint="Without an end, the period ends now."
        error={isReversed ? 'The start must be before the end.' : undefined}
      />
    </Confirm>
  )
}
