import type { Schema } from '@mandate/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { counted } from '../../words/words.ts'
import { Failed } from '../texts/notes.tsx'
import { SelectField } from './field.tsx'
import { Picker } from './picker.tsx'

interface PolicyFieldProps {
  label: string
  /** The id of the policy, or an empty text. */
  value: string
  onChange: (id: string) => void
  /** The text of the choice of no policy. */
  none: string
  /** The environment of the agent that gets the policy. Policies of other environments are left out, because the server refuses them. */
  environmentId?: string | undefined
  hint?: string | undefined
  error?: string | undefined
}

type Listed = Pick<Schema<'ListedPolicy'>, 'id' | 'name' | 'version' | 'environment_id'>

/** More policies than this are found by their names. */
const mostInList = 200
const mostFound = 20

const textOf = ({ name, version }: Pick<Listed, 'name' | 'version'>) => `${name}, version ${version}`

/** The policies that an agent of the environment may get: those of its environment, and those of every environment. */
export const assignable = <P extends Listed>(policies: readonly P[], environmentId: string | undefined): P[] =>
  policies.filter(({ environment_id: of }) => !environmentId || of === null || of === environmentId)

/** Says that policies are missing, and why. */
const leftOutText = (number: number) =>
  number === 0
    ? undefined
    : `${counted(number, '# policy is for another environment and is', '# policies are for other environments and are')} not listed.`

/** The policies that can be chosen. The chosen one is always among them, because a `<select>` would show another one. */
export function policyOptions(all: readonly Listed[] | undefined, fitting: readonly Listed[], value: string) {
  const options = fitting.map((policy) => ({ value: policy.id, text: textOf(policy) }))
  if (value === '' || options.some((option) => option.value === value)) return options
  const chosen = all?.find(({ id }) => id === value)
  const unknown = all ? 'a policy that you do not see' : 'Not read yet'
  return [{ value, text: chosen ? `${textOf(chosen)} (for another environment)` : unknown }, ...options]
}

/** A choice of one of the policies that the reader sees. */
export function PolicyField({ none, environmentId, ...field }: PolicyFieldProps) {
  const { data, error, refetch } = useQuery(read('listPolicies', { query: { sort: 'name', limit: mostInList } }))
  if (data && data.total > data.data.length)
    return <PolicyPicker {...field} none={none} environmentId={environmentId} />
  const all = data?.data ?? []
  const fitting = assignable(all, environmentId)
  const hint = [field.hint, leftOutText(all.length - fitting.length)].filter(Boolean).join(' ') || undefined
  const first = { value: '', text: data || error ? none : 'Not read yet' }
  return (
    <>
      <SelectField {...field} hint={hint} options={[first, ...policyOptions(data?.data, fitting, field.value)]} />
      {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
    </>
  )
}

function PolicyPicker({ value, onChange, none, hint, environmentId, ...field }: PolicyFieldProps) {
  const [search, setSearch] = useState('')
  // Policies of other environments are left out of what was found.
  const query = { sort: 'name', limit: mostInList, ...(search && { search }) } as const
  const found = useQuery({ ...read('listPolicies', { query }), placeholderData: keepPreviousData })
  const chosen = useQuery({ ...read('getPolicy', { path: { policy_id: value } }), enabled: value !== '' })
  const all = found.data?.data ?? []
  const fitting = assignable(all, environmentId)
  const leftOut = leftOutText(all.length - fitting.length)
  return (
    <Picker
      {...field}
      hint={[hint ?? `${none}, or type a part of its name.`, leftOut].filter(Boolean).join(' ')}
      picked={value && chosen.data ? { id: value, name: textOf(chosen.data) } : undefined}
      onPick={({ id }) => onChange(id)}
      onClear={() => onChange('')}
      items={fitting.slice(0, mostFound).map((policy) => ({ id: policy.id, name: textOf(policy) }))}
      onSearch={setSearch}
      none="No policy has this name."
      fault={found.data ? undefined : found.error?.message}
      isLoading={found.isLoading}
    />
  )
}
