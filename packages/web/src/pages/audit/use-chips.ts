import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type Filter, ofLink } from '../../ui/filters/filters.ts'
import { eventKinds, objectWords } from './event-kinds.ts'
import { usePeople } from './use-object-name.ts'
import { periodFilter, personsOf } from './words.ts'

/** The filters of the trail: what can be chosen, and what a link has chosen. `names` has names that the entries have, by id. */
export function useChips(names: Readonly<Record<string, string>>): Filter[] {
  const search = useSearch({ from: '/inside/audit' })
  const [text, setText] = useState('')
  const { users = [], removals = [], error, isLoading } = usePeople(text.trim())
  const persons = personsOf(users, removals, search.actor_id, names, text)
  return [
    { name: 'event_type', label: 'Event', value: search.event_type, options: eventKinds },
    {
      name: 'actor_id',
      label: 'Person',
      value: search.actor_id,
      options: persons,
      fault: error?.message,
      find: {
        label: 'Name of the person',
        text,
        onText: setText,
        none: isLoading ? 'The list is read.' : 'Nobody has this name.',
      },
    },
    periodFilter(search),
    ...ofLink('agent_id', 'Agent', search.agent_id, names),
    ...ofLink('resource_type', 'Kind', search.resource_type, objectWords),
    ...ofLink('resource_id', 'Object', search.resource_id, names),
  ]
}
