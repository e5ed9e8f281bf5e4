import { useEffect } from 'react'
import { useEnvironments } from '../../api/environments.ts'
import { Failed } from '../texts/notes.tsx'
import { environmentOptions } from './environment-options.ts'
import { SelectField } from './field.tsx'

interface EnvironmentFieldProps {
  label: string
  /** The id of the environment, or an empty text for all of them. */
  value: string
  onChange: (id: string) => void
  /** The text of the choice of no single environment. Without it, an environment must be chosen. */
  everywhere?: string
  hint?: string | undefined
  error?: string | undefined
}

/** Why a form that needs an environment cannot be sent: nothing is chosen until the environments are read. */
export const missingEnvironment = (id: string) => (id === '' ? 'Choose an environment first.' : undefined)

/** A choice of one of the environments that the reader sees. At first it is the first one that is not for production. */
export function EnvironmentField({ everywhere, value, onChange, ...rest }: EnvironmentFieldProps) {
  const { environments, error, retry } = useEnvironments()
  // A first try does no harm outside production.
  const first = (environments?.find((each) => !each.is_production) ?? environments?.[0])?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first choice is made once, when the environments are there
  useEffect(() => {
    if (value === '' && everywhere === undefined && first !== undefined) onChange(first)
  }, [first])
  return (
    <>
      <SelectField
        {...rest}
        value={value}
        onChange={onChange}
        options={environmentOptions({ environments, value, none: everywhere })}
      />
      {error && <Failed error={error} onRetry={retry} />}
    </>
  )
}
