import { useEnvironments } from '../../api/environments.ts'
import type { Filter } from './filters.ts'

/** The filter of a list by one of the environments that the reader sees. */
export function useEnvironmentFilter(value: string | undefined): Filter {
  const { environments, error } = useEnvironments()
  const options = (environments ?? []).map(({ id, name }) => ({ value: id, text: name }))
  return { name: 'environment_id', label: 'Environment', value, options, fault: error?.message }
}
