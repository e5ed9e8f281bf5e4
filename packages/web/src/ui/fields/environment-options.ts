import type { Schema } from '@mandate/sdk'

interface Choice {
  /** Undefined while the environments are not known. */
  environments: readonly Pick<Schema<'Environment'>, 'id' | 'name'>[] | undefined
  /** The id that is chosen now, or an empty text. */
  value: string
  /** The text of the choice of no environment, if that can be chosen. */
  none: string | undefined
}

/** The options of a choice of an environment. The chosen value is always one of them, because a `<select>` would show another one. */
export function environmentOptions({ environments, value, none }: Choice): { value: string; text: string }[] {
  const known = (environments ?? []).map(({ id, name }) => ({ value: id, text: name }))
  const first = none === undefined ? [] : [{ value: '', text: none }]
  if ([...first, ...known].some((option) => option.value === value)) return [...first, ...known]
  const text =
    environments === undefined ? 'Not read yet' : value === '' ? 'None' : 'an environment that you do not see'
  return [...first, { value, text }, ...known]
}
