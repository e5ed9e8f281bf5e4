export interface FilterOption {
  value: string
  text: string
  /** How many rows have this value, such as `12` or `10,000+`. */
  count?: string | undefined
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
      words: `${label} ${options.find((option) => option.value === value)?.text ?? value}`,
    }))
  return search?.value === undefined
    ? chosen
    : [{ name: search.name, words: `“${search.value}” in the name` }, ...chosen]
}

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

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
/** An id says nothing to a person. */
const withoutId = (value: string) => (uuid.test(value) ? 'of the link' : value)
