import { useState } from 'react'
import { changesOf, withoutSaved } from '../../ui/fields/changed-values.ts'

/** The values of a form: what was typed, and what is stored for all others. A change of somebody else shows in the fields that were not touched. */
export function useTyped<T extends object>(stored: T) {
  const [typed, setTyped] = useState<Partial<T>>({})
  const changes = changesOf(stored, typed)
  return {
    values: { ...stored, ...typed },
    set: (part: Partial<T>) => setTyped((before) => ({ ...before, ...part })),
    /** Only these are sent. Otherwise a save would take back what others saved meanwhile. */
    changes,
    isChanged: Object.keys(changes).length > 0,
    /** Forgets what was saved, and keeps what was typed since. */
    keepUnsaved: (saved: Partial<T>) => setTyped((now) => withoutSaved(now, saved)),
  }
}
