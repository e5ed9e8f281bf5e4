import { isUuid } from '@mandate/contract/fields/is-uuid'

export interface FilterOption {
  value: string
  text: string
  /** How many rows have this value, such as `12` or `10,000+`, or another note. */
  note?: string | undefined
}

export interface Filter {
  /** The name of the parameter in the address. */
  name: string
  label: string
  value: string | undefined
  options: readonly FilterOption[]
  /** What the list shows without a value; `any` if it is left out. */
  without?: string
  /** Why the options could not be read. */
  fault?: string | undefined
  /** For a filter with too many values for a menu: the reader finds a value by a part of its name. `options` has what was found, and the value. */
  find?: { label: string; text: string; onText: (text: string) => void; none: string }
  /** True for the order of the list, which leaves out no row. */
  isOrder?: boolean
}

/** A filter that is on. */
export interface ActiveFilter {
  /** The name of its parameter in the address. */
  name: string
  /** Such as "Drift As approved". */
  words: string
}

/** The filters that are on. */
export function activeOf(
  filters: readonly Filter[],
  search?: { name: string; value: string | undefined },
): ActiveFilter[] {
  const chosen = filters
    .filter(({ value, isOrder }) => value !== undefined && !isOrder)
    .map(({ name, label, value, options }) => ({
      name,
      words: `${label} ${wordOf(value as string, options)}`,
    }))
  return search?.value === undefined
    ? chosen
    : [{ name: search.name, words: `“${search.value}” in the name` }, ...chosen]
}

/**
 * Says which filters exclude the rows. `hasRows` says of each filter in `words` whether the list has rows without it; null or undefined if that is not
 * known. `all` is how many filters are on. Empty while nothing can be said.
 */
export function excludingText(words: readonly string[], hasRows: readonly (boolean | null | undefined)[], all: number) {
  const excluding = words.filter((_, index) => hasRows[index])
  if (excluding.length === 1) return `The filter ${excluding[0]} excludes the rows: without it, some match.`
  if (excluding.length > 1) return `Each of these filters excludes the rows: ${excluding.join(', ')}.`
  const isKnown = words.length === all && hasRows.every((has) => has === false)
  return isKnown ? 'Leaving out one filter is not enough: nothing matches without it either.' : ''
}

/** What people see for a value of the address, also for one that the list does not offer. */
export const wordOf = (value: string, options: readonly FilterOption[]): string =>
  options.find((option) => option.value === value)?.text ?? withoutId(value)

/** Whether a name has the text that the reader searches for, in capital or small letters. */
export const hasText = (name: string, text: string) => name.toLowerCase().includes(text.trim().toLowerCase())

/** Makes a filter option of each value, with the word that people see for it. */
export const optionsOf = (looks: Record<string, { word: string }>): FilterOption[] =>
  Object.entries(looks).map(([value, { word }]) => ({ value, text: word }))

/** A filter that is there only while a link has set it, such as the agent of a link from its page. */
export const ofLink = (
  name: string,
  label: string,
  value: string | undefined,
  names: Readonly<Record<string, string>>,
): Filter[] =>
  value === undefined ? [] : [{ name, label, value, options: [{ value, text: names[value] ?? withoutId(value) }] }]

/** An id says nothing to a person. */
const withoutId = (value: string) => (isUuid(value) ? 'of the link' : value)
