import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { read, write } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useAct } from '../../ui/actions/use-act.ts'
import { Cancel, Dialog } from '../../ui/dialogs/dialog.tsx'
import { EnvironmentField } from '../../ui/fields/environment-field.tsx'
import { Field, FieldError, SelectField } from '../../ui/fields/field.tsx'
import type { Picked } from '../../ui/fields/picker.tsx'
import { AgentPicker } from '../keys/agent-picker.tsx'
import { freezeEffect, stopsDiffer } from './freeze-effect.ts'

type Scope = 'agent' | 'environment' | 'organization'

const scopes = [
  { value: 'agent', text: 'One agent' },
  { value: 'environment', text: 'All agents of an environment' },
  { value: 'organization', text: 'All agents of the organization' },
] as const

interface FreezeDialogProps {
  onClose: () => void
  /** The agent to freeze, if it is known. */
  agent?: Picked
  /** The environment to freeze, if it is known. */
  environmentId?: string
}

/** Asks what to freeze and why, and shows first what the freeze would stop. */
export function FreezeDialog({ onClose, agent: given, environmentId: givenEnvironment }: FreezeDialogProps) {
  const navigate = useNavigate()
  const session = useSession()
  const [scope, setScope] = useState<Scope>(givenEnvironment === undefined ? 'agent' : 'environment')
  const [agent, setAgent] = useState<Picked | undefined>(given)
  const [environmentId, setEnvironmentId] = useState(givenEnvironment ?? '')
  const [reason, setReason] = useState('')
  const [drill, setDrill] = useState(false)
  const { run, isBusy, error } = useAct()

  const target =
    scope === 'agent'
      ? agent && { scope, agent_id: agent.id }
      : scope === 'environment'
        ? environmentId && { scope, environment_id: environmentId }
        : { scope }
  const preview = useQuery({
    ...read('previewFreeze', { query: target || { scope } }),
    enabled: Boolean(target),
    staleTime: 0,
  })
  const missing =
    whyNot(session, scope === 'organization' ? 'createFreeze:organization' : 'createFreeze') ??
    (!target ? 'Choose what to freeze.' : reason.trim() === '' ? 'Write a reason first.' : undefined)

  const freeze = () => {
    if (missing !== undefined || !target) return false
    let id = ''
    const act = async () => {
      const made = await write('createFreeze', { body: { ...target, reason: reason.trim(), drill } })
      id = made.id
    }
    return run(act, () => {
      onClose()
      return navigate({ to: '/freezes/$id', params: { id } })
    })
  }

  return (
    <Dialog
      title={drill ? 'Run a freeze as a drill?' : 'Freeze agents?'}
      onClose={onClose}
      onSubmit={freeze}
      isBusy={isBusy}
      foot={
        <>
          <Cancel onPress={onClose} isBusy={isBusy} />
          <Button type="submit" look={drill ? 'act' : 'stop'} glyph="frozen" isBusy={isBusy} disabledBecause={missing}>
            {drill ? 'Run the drill' : 'Freeze'}
          </Button>
        </>
      }
    >
      <p>{stopsDiffer}</p>
      <SelectField label="Scope" value={scope} onChange={setScope} options={scopes} />
      {scope === 'agent' && <AgentPicker agent={agent} onChange={setAgent} />}
      {scope === 'environment' && (
        <EnvironmentField
          label="Environment"
          value={environmentId}
          onChange={setEnvironmentId}
          everywhere="Choose an environment"
        />
      )}
      <p role="status">
        {preview.error ? preview.error.message : preview.data && freezeEffect(preview.data, { drill })}
      </p>
      <Field label="Reason" value={reason} onChange={setReason} lines={3} maxLength={2000} />
      <label>
        <input type="checkbox" checked={drill} onChange={(event) => setDrill(event.target.checked)} /> Drill: only
        measure how fast the edges confirm. No call is denied.
      </label>
      <FieldError text={error?.message} />
    </Dialog>
  )
}
