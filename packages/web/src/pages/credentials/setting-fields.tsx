import { Field } from '../../ui/fields/field.tsx'
import { type Kind, settings } from './words.ts'

interface SettingFieldsProps {
  kind: Kind
  values: Readonly<Record<string, string>>
  onChange: (values: Record<string, string>) => void
  errors: Readonly<Partial<Record<string, string>>>
}

/** The names of the fields in the errors of the server. */
export const settingNames = [
  'config.header',
  'config.username',
  'config.variable',
  'config.token_url',
  'config.client_id',
  'config.scope',
] as const

/** The fields for the settings of a kind, which are not secret. */
export function SettingFields({ kind, values, onChange, errors }: SettingFieldsProps) {
  return settings[kind].map(({ name, label, hint }) => (
    <Field
      key={name}
      label={label}
      value={values[name] ?? ''}
      onChange={(value) => onChange({ ...values, [name]: value })}
      error={errors[`config.${name}`]}
      hint={hint}
      maxLength={2048}
      autoComplete="off"
    />
  ))
}
