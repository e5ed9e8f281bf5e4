import type { Schema } from '@mandate/sdk'
import type { Filter, FilterOption } from '../../ui/filters/filters.ts'
import { numberOf } from '../../words/words.ts'
import { toolStates, toolWarnings } from './words.ts'

type Facets = Schema<'ToolFacets'>
type FacetName = Exclude<keyof Facets, 'total' | 'is_whole'>
export type ToolSearch = { [N in FacetName | 'search' | 'agent_id']?: string }

const filters: readonly { name: FacetName; label: string; words?: Record<string, { word: string }> }[] = [
  { name: 'state', label: 'State', words: toolStates },
  { name: 'warning', label: 'Warning', words: toolWarnings },
  { name: 'server', label: 'Server' },
  { name: 'label', label: 'Label' },
  { name: 'environment_id', label: 'Environment' },
]

/** The filters with their counts. `all` are the facets of all tools, which name a value that no tool of the list has. */
export function filtersOf(search: ToolSearch, facets: Facets | undefined, all: Facets | undefined): Filter[] {
  return filters.map(({ name, label, words }): Filter => {
    const value = search[name]
    const textOf = (key: string, own: string) => words?.[key]?.word ?? own
    const found = (facets?.[name] ?? []).map(
      ({ key, name: own, count }): FilterOption => ({
        value: key,
        text: textOf(key, own),
        note: `${numberOf(count, 10_000)}${facets?.is_whole || count >= 10_000 ? '' : '+'}`,
      }),
    )
    const isFound = value === undefined || found.some((option) => option.value === value)
    const own = all?.[name].find(({ key }) => key === value)?.name
    const chosen: FilterOption[] = isFound ? [] : [{ value, text: textOf(value, own ?? value), note: '0' }]
    return { name, label, value, options: [...chosen, ...found] }
  })
}
