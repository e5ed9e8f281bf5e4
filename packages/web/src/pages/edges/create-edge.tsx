import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { EnvironmentField, missingEnvironment } from '../../ui/fields/environment-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Secret } from '../../ui/fields/secret.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { StartOwnKeyEdge } from './start-own-key-edge.tsx'

/** How often a new edge is looked for. */
const pollMs = 2000

/** Creates an edge, and shows its key and the one command that starts it. */
export function CreateEdge({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [environment, setEnvironment] = useState('')
  const create = useWrite('createEdge')
  if (create.data) {
    const { edge, edge_key } = create.data
    return (
      <Secret title={`The edge ${edge.name}`} what="key" value={edge_key} onClose={onClose}>
        {(onStored) => <Start id={edge.id} environment={edge.environment_id} edgeKey={edge_key} onStored={onStored} />}
      </Secret>
    )
  }
  const submit = async () => {
    await create.mutateAsync({ body: { name, environment_id: environment } })
  }
  const { of, rest } = errorOfField(create.error, ['name', 'environment_id'])
  return (
    <FormDialog
      title="Create an edge"
      verb="Create edge"
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
        hint="Where the edge runs, such as a machine or a cluster."
        maxLength={200}
        autoFocus
      />
      <EnvironmentField
        label="Environment"
        value={environment}
        onChange={setEnvironment}
        error={of.environment_id}
        hint="The edge may serve every agent of this environment."
      />
    </FormDialog>
  )
}

interface StartProps {
  id: string
  environment: string
  edgeKey: string
  onStored: () => void
}

/** The command, and whether the edge has reported. */
function Start({ id, environment, edgeKey, onStored }: StartProps) {
  const edge = useQuery({ ...read('getEdge', { path: { edge_id: id } }), refetchInterval: pollMs })
  return (
    <StartOwnKeyEdge
      environmentId={environment}
      keyText={edgeKey}
      onCopy={onStored}
      isHeard={typeof edge.data?.last_heartbeat_at === 'string'}
    />
  )
}
