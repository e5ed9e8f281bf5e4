import { useState } from 'react'
import { useAgentSearch } from '../../api/search-agents.ts'
import { type Filter, hasText } from '../../ui/filters/filters.ts'

const mostFound = 20

/** The filter of the list by one agent, which the reader finds by its name. `name` is the name of the agent of the address, if it is known. */
export function useAgentFilter(value: string | undefined, name: string | undefined): Filter {
  const [text, setText] = useState('')
  const { agents, error, isLoading } = useAgentSearch(text.trim(), { most: mostFound })
  // The agents may still be those of the text before.
  const found = agents
    .filter(({ name }) => hasText(name, text))
    .map(({ id, name, environment }) => ({ value: id, text: name, note: environment?.name }))
  const isFound = found.some((option) => option.value === value)
  return {
    name: 'agent_id',
    label: 'Agent',
    value,
    options: value === undefined || name === undefined || isFound ? found : [{ value, text: name }, ...found],
    fault: error?.message,
    find: {
      label: 'Name of the agent',
      text,
      onText: setText,
      none: isLoading ? 'The list is read.' : 'No agent has this name.',
    },
  }
}
