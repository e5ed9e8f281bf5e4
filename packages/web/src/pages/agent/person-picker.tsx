import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { type Picked, Picker } from '../../ui/fields/picker.tsx'

interface PersonPickerProps {
  label: string
  person: Picked | undefined
  onChange: (person: Picked) => void
}

/** Finds a person of the organization by name or address while the reader types. */
export function PersonPicker({ label, person, onChange }: PersonPickerProps) {
  const [search, setSearch] = useState('')
  const { data, error, isLoading } = useQuery({
    ...read('listUsers', {
      query: { status: 'active', academy_only: false, sort_by: 'name', sort_order: 'asc', limit: 20, search },
    }),
    placeholderData: keepPreviousData,
  })
  const people = (data?.data ?? []).map(({ id, display_name, email }) => ({ id, name: display_name || email }))
  return (
    <Picker
      label={label}
      picked={person}
      onPick={onChange}
      items={people}
      onSearch={setSearch}
      none="Nobody has this name."
      fault={data ? undefined : error?.message}
      isLoading={isLoading}
    />
  )
}
