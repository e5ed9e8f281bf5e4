import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Field, SelectField } from '../../ui/fields/field.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { kindNames } from './words.ts'

type Kind = Schema<'ConnectedPlatform'>['kind']

const kinds = (Object.keys(kindNames) as Kind[]).map((kind) => ({ value: kind, text: kindNames[kind] }))

/** Connects a platform. The first synchronization uses the connection. */
export function ConnectPlatform({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<Kind>('github')
  const [name, setName] = useState('')
  const [organization, setOrganization] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const [secret, setSecret] = useState('')
  const connect = useWrite('connectPlatform')
  const isGithub = kind === 'github'
  const submit = async () => {
    const config = isGithub ? { organization, ...(baseUrl.trim() && { base_url: baseUrl.trim() }) } : {}
    await connect.mutateAsync({ body: { kind, name, config, ...(secret && { auth_secret: secret }) } })
    tell(`Connected ${name}.`)
    onClose()
  }
  const names = ['name', 'config.organization', 'config.base_url', 'auth_secret'] as const
  const { of, rest } = errorOfField(connect.error, names)
  return (
    <FormDialog
      title="Connect a platform"
      verb="Connect"
      act={submit}
      isBusy={connect.isPending}
      fault={rest}
      onClose={onClose}
    >
      <SelectField
        label="Kind"
        value={kind}
        onChange={setKind}
        options={kinds}
        hint={isGithub ? undefined : 'Agents can be discovered in GitHub so far.'}
      />
      <Field label="Name" value={name} onChange={setName} error={of.name} maxLength={200} autoFocus />
      {isGithub && (
        <>
          <Field
            label="Organization at GitHub"
            value={organization}
            onChange={setOrganization}
            error={of['config.organization']}
            maxLength={2000}
            autoComplete="off"
          />
          <Field
            label="Address of the REST API"
            value={baseUrl}
            onChange={setBaseUrl}
            error={of['config.base_url']}
            maxLength={2000}
            autoComplete="off"
            hint="Only for a server of your own. Leave it empty for github.com."
          />
        </>
      )}
      <Field
        label="Token"
        type="password"
        value={secret}
        onChange={setSecret}
        error={of.auth_secret}
        maxLength={10_000}
        autoComplete="off"
        hint="Mandate stores it encrypted and never shows it again."
      />
    </FormDialog>
  )
}
