import { Field, type FieldProps } from '../../ui/fields/field.tsx'
import { type Kind, secretNames } from './words.ts'

interface SecretFieldProps extends Pick<FieldProps, 'value' | 'onChange' | 'error' | 'autoFocus'> {
  kind: Kind
  hint?: string
}

/** The field for a new secret. */
export const SecretField = ({
  kind,
  hint = 'Mandate stores it encrypted and never shows it again.',
  ...rest
}: SecretFieldProps) => (
  <Field label={secretNames[kind]} type="password" maxLength={10_000} autoComplete="off" hint={hint} {...rest} />
)
