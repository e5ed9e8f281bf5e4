import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { EnvironmentField, missingEnvironment } from '../../ui/fields/environment-field.tsx'
import { Field, SelectField } from '../../ui/fields/field.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { SecretField } from './secret-field.tsx'
import { SettingFields, settingNames } from './setting-fields.tsx'
import { configOf, type Kind, kindNames } from './words.ts'

const kinds = (Object.keys(kindNames) as Kind[]).map((kind) => ({ value: kind, text: kindNames[kind] }))

/** Stores a credential. The secret is never shown again. */
export function CreateCredential({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>('bearer')
  const [environment, setEnvironment] = useState('')
  const [config, setConfig] = useState<Record<string, string>>({})
  const [secret, setSecret] = useState('')
  const create = useWrite('createCredential')
  const submit = async () => {
    const body = { name, kind, environment_id: environment, config: configOf(kind, config), secret }
    await create.mutateAsync({ body })
    tell(`Stored ${name}.`)
    onClose()
  }
  const { of, rest } = errorOfField(create.error, ['name', 'environment_id', 'secret', ...settingNames])
  return (
    <FormDialog
      title="Store a credential"
      verb="Store"
      act={submit}
      isBusy={create.isPending}
      fault={rest}
      missing={missingEnvironment(environment)}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        onChange={setName}
        error={of.name}
        hint="The servers file of an edge uses it: a-z, 0-9 and -."
        maxLength={63}
        autoFocus
        autoComplete="off"
      />
      <EnvironmentField
        label="Environment"
        value={environment}
        onChange={setEnvironment}
        error={of.environment_id}
        hint="Only edges of this environment can read the secret."
      />
      <SelectField label="Kind" value={kind} onChange={setKind} options={kinds} />
      <SettingFields kind={kind} values={config} onChange={setConfig} errors={of} />
      <SecretField kind={kind} value={secret} onChange={setSecret} error={of.secret} />
    </FormDialog>
  )
}
