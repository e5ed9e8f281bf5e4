type Values<T> = Partial<T>

/**
 * The typed values that differ from the stored ones. A dialog sends only these. With the other values, it would take back what somebody else saved
 * while it was open.
 */
export const changesOf = <T extends object>(stored: T, typed: Values<T>): Values<T> =>
  filtered(typed, (name, value) => JSON.stringify(value) !== JSON.stringify(stored[name]))

/** Whether two values are the same once the server has stored them: it trims texts, sorts lists and stores objects without the order of their names. */
export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(normalized(one)) === JSON.stringify(normalized(other))

function normalized(value: unknown): unknown {
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) return [...new Set(value.map(normalized))].toSorted()
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, each]) => [name, normalized(each)])
}

/** The stored values now of those fields that a dialog changes and that somebody else changed to another value since it was opened. */
export function conflictsOf<T extends object>(opened: T, now: T, changes: Values<T>): Values<T> {
  // The stored object may not have each field any more.
  const stored = Object.keys(changes).map((name) => [name, now[name as keyof T]])
  return filtered<T>(
    Object.fromEntries(stored),
    (name, value) => !isSame(value, opened[name]) && !isSame(value, changes[name]),
  )
}

/** Why a dialog that changes an object cannot be sent yet. Undefined for a dialog that creates one. */
export const missingOf = (changes: object | undefined) =>
  changes && Object.keys(changes).length === 0 ? 'Nothing is changed.' : undefined

/** The typed values that are not those that were saved. */
export const withoutSaved = <T extends object>(typed: Values<T>, saved: Values<T>): Values<T> =>
  filtered(typed, (name, value) => !(name in saved) || value !== saved[name])

function filtered<T extends object>(values: Values<T>, keeps: (name: keyof T, value: unknown) => boolean): Values<T> {
  const entries = Object.entries(values).filter(([name, value]) => keeps(name as keyof T, value))
  return Object.fromEntries(entries) as Values<T>
}
