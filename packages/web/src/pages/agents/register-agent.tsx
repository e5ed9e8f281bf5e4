import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { EnvironmentField, missingEnvironment } from '../../ui/fields/environment-field.tsx'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import type { Picked } from '../../ui/fields/picker.tsx'
import { PolicyField } from '../../ui/fields/policy-field.tsx'
import { Secret } from '../../ui/fields/secret.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { StartEdge } from '../../ui/page/start-edge.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { PersonPicker } from '../agent/person-picker.tsx'
import css from './agents.module.css'

/** How often the first heartbeat is looked for. */
const pollMs = 2000

/** Registers an agent, then shows its key once, with the command that starts its edge. */
export function RegisterAgent({ onClose }: { onClose: () => void }) {
  const create = useWrite('createAgent')
  const [name, setName] = useState('')
  const [environment, setEnvironment] = useState('')
  const [policy, setPolicy] = useState('')
  const [description, setDescription] = useState('')
  const [framework, setFramework] = useState('')
  const { user } = useSession()
  const [owner, setOwner] = useState<Picked>({ id: user.id, name: user.display_name || user.email })
  if (create.data) {
    const { agent, agent_key: key } = create.data
    return (
      <Secret title={`The key of ${agent.name}`} what="agent key" value={key} onClose={onClose}>
        {(onStored) => (
          <>
            <Start agentId={agent.id} keyText={key} onStored={onStored} />
            <p>
              <PageLink to={`/agents/${agent.id}`} replaces>
                Open the agent
              </PageLink>
            </p>
          </>
        )}
      </Secret>
    )
  }
  const chooseEnvironment = (id: string) => {
    setEnvironment(id)
    // A policy of another environment would be refused.
    setPolicy('')
  }
  const submit = () =>
    create.mutateAsync({
      body: {
        name,
        environment_id: environment,
        owner_user_id: owner.id,
        ...(policy && { policy_id: policy }),
        ...(description && { description }),
        ...(framework && { framework }),
      },
    })
  const { of, rest } = errorOfField(create.error, [
    'name',
    'environment',
    'policy',
    'owner_user_id',
    'description',
    'framework',
  ])
  return (
    <FormDialog
      title="Register an agent"
      verb="Register agent"
      act={submit}
      isBusy={create.isPending}
      fault={rest}
      missing={missingEnvironment(environment)}
      onClose={onClose}
    >
      <div className={css.form}>
        <Field
          label="Name"
          value={name}
          onChange={setName}
          maxLength={200}
          error={of.name}
          autoComplete="off"
          autoFocus
          isRequired
        />
        <EnvironmentField label="Environment" value={environment} onChange={chooseEnvironment} error={of.environment} />
        <PolicyField
          label="Policy"
          value={policy}
          onChange={setPolicy}
          none="No policy yet"
          environmentId={environment}
          hint="Without a policy the agent is in the discovery queue."
          error={of.policy}
        />
        <PersonPicker label="Owner, who answers for the agent" person={owner} onChange={setOwner} />
        <FieldError text={of.owner_user_id} />
        <Field
          label="Framework"
          value={framework}
          onChange={setFramework}
          maxLength={200}
          error={of.framework}
          hint="For example langgraph. It may be empty."
        />
        <Field
          label="Description"
          value={description}
          onChange={setDescription}
          lines={3}
          maxLength={4000}
          error={of.description}
        />
      </div>
    </FormDialog>
  )
}

interface StartProps {
  agentId: string
  keyText: string
  onStored: () => void
}

/** The command that starts the edge of the new agent, and whether the edge has reported. */
function Start({ agentId, keyText, onStored }: StartProps) {
  const { data: agent } = useQuery({
    ...read('getAgent', { path: { agent_id: agentId } }),
    refetchInterval: pollMs,
  })
  return <StartEdge keyText={keyText} onCopy={onStored} isHeard={typeof agent?.last_heartbeat_at === 'string'} />
}
