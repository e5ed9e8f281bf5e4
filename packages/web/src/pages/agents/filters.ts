import type { Answer } from '@mandate/sdk'
import { type Filter, type FilterOption, hasText } from '../../ui/filters/filters.ts'
import { coverages, lifecycles } from '../../ui/page/states.ts'
import { numberOf } from '../../words/words.ts'
import { sourceWords } from '../platforms/words.ts'
import type { AgentSearch } from './queries.ts'

type Facets = Answer<'getAgentFacets'>
type FacetName = Exclude<keyof Facets, 'governance_state'>

const wordsOf = (looks: Record<string, { word: string }>) =>
  Object.fromEntries(Object.entries(looks).map(([value, { word }]) => [value, word]))

/** The filters of the list, each with its facet, and the words of its values. Other values have a name from the server. */
const filters: readonly { name: string; label: string; facet: FacetName; words?: Record<string, string> }[] = [
  {
    name: 'drift',
    label: 'Drift',
    facet: 'drift',
    words: { true: 'Drift', false: 'As approved', unknown: 'Not known' },
  },
  { name: 'lifecycle_status', label: 'Lifecycle', facet: 'lifecycle_status', words: wordsOf(lifecycles) },
  { name: 'execution_coverage', label: 'Coverage', facet: 'execution_coverage_state', words: wordsOf(coverages) },
  { name: 'environment_id', label: 'Environment', facet: 'environment_id' },
  {
    name: 'heartbeat',
    label: 'Heartbeat',
    facet: 'heartbeat',
    words: { recent: 'Recent', late: 'Late', never: 'Never' },
  },
  { name: 'policy_id', label: 'Policy', facet: 'policy_id' },
  { name: 'owner_user_id', label: 'Owner', facet: 'owner_user_id', words: { none: 'Nobody' } },
  { name: 'source', label: 'Comes from', facet: 'source', words: sourceWords },
  { name: 'framework', label: 'Framework', facet: 'framework' },
  {
    name: 'status',
    label: 'Status',
    facet: 'status',
    words: { registered: 'Registered', active: 'Active', suspended: 'Suspended', archived: 'Archived' },
  },
]

const orders: readonly FilterOption[] = [
  { value: 'attention', text: 'Most worrying first' },
  { value: 'name', text: 'By name' },
  { value: 'newest', text: 'Newest first' },
  { value: 'last_heartbeat', text: 'Latest heartbeat first' },
]

/**
 * The filters with their counts, for the filter bar. `all` are the facets of all agents, which name a value that no agent of the list has. `names` are
 * the names of the chosen values that no facet may have, by filter.
 */
export function filtersOf(
  search: AgentSearch,
  facets: Facets | undefined,
  all: Facets | undefined,
  names: Readonly<Record<string, string | undefined>> = {},
): Filter[] {
  return filters
    .map(({ name, label, facet, words }): Filter => {
      const value = search[name]
      const found = (facets?.[facet] ?? []).map(({ key, name: own, count, at_least }) => ({
        value: key,
        text: words?.[key] ?? own,
        note: `${numberOf(count, 10_000)}${at_least && count < 10_000 ? '+' : ''}`,
      }))
      const known = words?.[value ?? ''] ?? all?.[facet].find(({ key }) => key === value)?.name
      const word = value && (known ?? names[name])
      const isMissing = value && word && found.every((option) => option.value !== value)
      const options = isMissing ? [{ value, text: word, note: '0' }, ...found] : found
      return { name, label, value, options }
    })
    .toSpliced(4, 0, orderOf(search))
}

/** The filters that are shown without *More*, the order of the list among them. */
export const shownFilters = 5

function orderOf({ sort, governance_state: state }: AgentSearch): Filter {
  const usual = state === 'discovered' ? 'newest' : 'attention'
  const without = orders.find(({ value }) => value === usual)?.text ?? ''
  const options = orders.filter(({ value }) => value !== usual)
  return { name: 'sort', label: 'Order', value: sort, without, options, isOrder: true }
}

/** The values of a menu with a search: those of the facet whose names have the text, then what the server found. */
export const optionsWith = (options: readonly FilterOption[], found: readonly FilterOption[], text: string) => [
  ...options.filter((option) => hasText(option.text, text)),
  ...found.filter(({ value }) => options.every((option) => option.value !== value)),
]
