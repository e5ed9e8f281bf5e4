import { MandateError } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { changesOf, missingOf } from '../../ui/fields/changed-values.ts'
import { Field } from '../../ui/fields/field.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { SecretField } from './secret-field.tsx'
import { SettingFields, settingNames } from './setting-fields.tsx'
import { type Credential, configOf } from './words.ts'

interface Changed {
  credential: Credential
  onClose: () => void
}

/** Changes the name and the settings of a credential. The secret stays, unless it would go to another server. */
export function EditCredential({ credential, onClose }: Changed) {
  const { id, kind } = credential
  const [name, setName] = useState(credential.name)
  const [config, setConfig] = useState<Record<string, string>>(credential.config)
  const [secret, setSecret] = useState('')
  const update = useWrite('updateCredential')
  const goesElsewhere = serverOf(config.token_url) !== serverOf(credential.config.token_url)
  const changes = changesOf(
    { name: credential.name, config: configOf(kind, credential.config) },
    { name, config: configOf(kind, config) },
  )
  const submit = async () => {
    await update.mutateAsync({ path: { credential_id: id }, body: { ...changes, ...(goesElsewhere && { secret }) } })
    tell(`Changed ${name}.`)
    onClose()
  }
  const { of, rest } = errorOfField(update.error, ['name', 'secret', ...settingNames])
  return (
    <FormDialog
      title={`Change ${credential.name}`}
      verb="Save"
      act={submit}
      isBusy={update.isPending}
      fault={rest}
      missing={missingOf(changes)}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        onChange={setName}
        error={of.name}
        hint="Servers files that use the old name no longer find the credential."
        maxLength={63}
        autoFocus
        autoComplete="off"
      />
      <SettingFields kind={kind} values={config} onChange={setConfig} errors={of} />
      {goesElsewhere && (
        <SecretField
          kind={kind}
          value={secret}
          onChange={setSecret}
          error={of.secret}
          hint="The stored secret is not sent to another server. Enter the secret for the new one."
        />
      )}
    </FormDialog>
  )
}

const serverOf = (url: string | undefined) => (url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined)

/** Replaces the secret of a credential. */
export function RotateCredential({ credential: { id, name, kind }, onClose }: Changed) {
  const [secret, setSecret] = useState('')
  const rotate = useWrite('rotateCredential')
  const submit = async () => {
    await rotate.mutateAsync({ path: { credential_id: id }, body: { secret } })
    tell(`${name} has a new secret.`)
    onClose()
  }
  const { of, rest } = errorOfField(rotate.error, ['secret'])
  return (
    <FormDialog
      title={`Rotate ${name}`}
      verb="Replace the secret"
      act={submit}
      isBusy={rotate.isPending}
      fault={rest}
      onClose={onClose}
    >
      <p>Edges use the new secret at once. An edge restarts a tool server that it started with the old one.</p>
      <SecretField kind={kind} value={secret} onChange={setSecret} error={of.secret} autoFocus />
    </FormDialog>
  )
}

/** Deletes a credential. The server names the servers that used it, and the second confirmation deletes it anyway. */
export function DeleteCredential({ credential: { id, name }, onClose }: Changed) {
  const [inUse, setInUse] = useState<string>()
  const write = useWrite('deleteCredential')
  const remove = async () => {
    try {
      await write.mutateAsync({ path: { credential_id: id }, query: inUse === undefined ? {} : { force: true } })
      tell(`Deleted ${name}.`)
    } catch (failure) {
      if (failure instanceof MandateError && failure.status === 409) setInUse(failure.message)
      throw failure
    }
  }
  return (
    <Confirm
      title={`Delete ${name}?`}
      verb={inUse === undefined ? 'Delete' : 'Delete anyway'}
      look="danger"
      isFinal
      onClose={onClose}
      act={remove}
    >
      <p>Edges forget the secret. They deny the calls of tool servers that need it.</p>
    </Confirm>
  )
}
