import { scopeResources } from '@mandate/contract/words/scopes'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { EnvironmentField, missingEnvironment } from '../../ui/fields/environment-field.tsx'
import { Field, SelectField } from '../../ui/fields/field.tsx'
import { Secret } from '../../ui/fields/secret.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { scopesIn } from './chosen-scopes.ts'
import { ScopeChoice } from './scope-choice.tsx'

const lifetimes = [
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '365', text: '1 year' },
  { value: '', text: 'Never' },
] as const
const dayMs = 24 * 60 * 60 * 1000

/** Creates a key, and shows it once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const [name, setName] = useState('')
  const [environment, setEnvironment] = useState('')
  const [scopes, setScopes] = useState('')
  const [days, setDays] = useState<(typeof lifetimes)[number]['value']>('90')
  const create = useWrite('createApiKey')
  if (create.data) {
    return (
      <Secret title={`The key ${create.data.name}`} what="key" value={create.data.raw_key} onClose={onClose}>
        <p>
          A program sends it in the header <code>Authorization: Bearer</code>. The command line and the SDK read it from{' '}
          <code>MANDATE_API_KEY</code>.
        </p>
      </Secret>
    )
  }
  const submit = async () => {
    const list = scopesIn(scopes)
    await create.mutateAsync({
      body: {
        name,
        ...(environment && { environment_id: environment }),
        ...(list.length > 0 && { scopes: list }),
        ...(days && { expires_at: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
      },
    })
  }
  const notEverywhere = whyNot(session, 'createApiKey:organization')
  const { of, rest } = errorOfField(create.error, ['name', 'scopes', 'environment_id', 'expires_at'])
  return (
    <FormDialog
      title="Create a key"
      verb="Create key"
      act={submit}
      isBusy={create.isPending}
      fault={rest}
      missing={notEverywhere && missingEnvironment(environment)}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        onChange={setName}
        error={of.name}
        hint="What the key is for, such as the program that uses it."
        maxLength={200}
        autoFocus
      />
      <EnvironmentField
        label="Works in"
        value={environment}
        onChange={setEnvironment}
        error={of.environment_id}
        {...(notEverywhere === undefined && { everywhere: 'The whole organization' })}
        hint={notEverywhere}
      />
      <Field
        label="Scopes"
        value={scopes}
        onChange={setScopes}
        error={of.scopes}
        isMono
        autoComplete="off"
        maxLength={4500}
        hint={
          <>
            Each is a resource and an action, such as <code>audit:read agents:write</code>. Without a scope the key may
            do everything that you may do. An action is <code>read</code>, <code>write</code> or <code>*</code>. A
            resource is <code>{scopeResources.join(', ')}</code> or <code>*</code>.
          </>
        }
      />
      <ScopeChoice text={scopes} onChange={setScopes} />
      <SelectField label="Ends after" value={days} onChange={setDays} options={lifetimes} error={of.expires_at} />
    </FormDialog>
  )
}
