import type { Schema } from '@mandate/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { type Filter, type FilterOption, hasText } from '../../ui/filters/filters.ts'
import { optionsWith } from './filters.ts'

const mostFound = 20

/** Adds a search to the filters whose facet has only the most frequent values: policies and owners. */
export function useSearchedFilters(filters: readonly Filter[]): Filter[] {
  const [policyText, setPolicyText] = useState('')
  const [ownerText, setOwnerText] = useState('')
  const policies = useQuery({
    ...read('listPolicies', { query: { search: policyText.trim(), limit: mostFound } }),
    enabled: policyText.trim() !== '',
    placeholderData: keepPreviousData,
  })
  const people = useQuery({
    ...read('listUsers', { query: { search: ownerText.trim(), status: 'active', limit: mostFound } }),
    enabled: ownerText.trim() !== '',
    placeholderData: keepPreviousData,
  })
  return filters.map((filter) => {
    if (filter.name === 'policy_id')
      return searched(filter, policies, optionOf, {
        label: 'Name of the policy',
        text: policyText,
        onText: setPolicyText,
        none: 'No policy has this name.',
      })
    if (filter.name === 'owner_user_id')
      return searched(filter, people, optionOfPerson, {
        label: 'Name of the owner',
        text: ownerText,
        onText: setOwnerText,
        none: 'Nobody has this name.',
      })
    return filter
  })
}

const optionOf = ({ id, name }: Pick<Schema<'Policy'>, 'id' | 'name'>): FilterOption => ({ value: id, text: name })
const optionOfPerson = ({
  id,
  display_name,
  email,
}: Pick<Schema<'User'>, 'id' | 'display_name' | 'email'>): FilterOption => ({
  value: id,
  text: display_name || email,
})

interface Search<Row> {
  data: { data: Row[] } | undefined
  error: Error | null
  isLoading: boolean
  isPlaceholderData: boolean
}

function searched<Row>(
  filter: Filter,
  { data, error, isLoading, isPlaceholderData: isOld }: Search<Row>,
  optionOfRow: (row: Row) => FilterOption,
  find: NonNullable<Filter['find']>,
): Filter {
  const isEmpty = find.text.trim() === ''
  const rows = isEmpty ? [] : (data?.data ?? []).map(optionOfRow)
  // The rows may still be those of the text before.
  const found = rows.filter(({ text }) => !isOld || hasText(text, find.text))
  // Without a text, the menu has only the most frequent values.
  const none = isEmpty ? 'Type a part of the name.' : isLoading || isOld ? 'The list is read.' : find.none
  return {
    ...filter,
    options: optionsWith(filter.options, found, find.text),
    fault: error?.message,
    find: { ...find, none },
  }
}
