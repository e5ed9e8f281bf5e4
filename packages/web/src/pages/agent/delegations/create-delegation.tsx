import { useState } from 'react'
import { useWrite } from '../../../api/queries.ts'
import { whyNot } from '../../../api/why-not.ts'
import { useSession } from '../../../session/session.ts'
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx'
import { Field, SelectField } from '../../../ui/fields/field.tsx'
import type { Picked } from '../../../ui/fields/picker.tsx'
import { Secret } from '../../../ui/fields/secret.tsx'
import { errorOfField } from '../../../words/field-errors.ts'
import { PersonPicker } from '../person-picker.tsx'
import type { Agent } from '../words.ts'

const lifetimes = [
  { value: '1', text: '1 hour' },
  { value: '8', text: '8 hours' },
  { value: '24', text: '24 hours' },
] as const
const hourMs = 3_600_000
/** The clock of this computer may be ahead of the server's. */
const marginMs = 60_000

/** Delegates to the agent, and shows the token once. */
export function CreateDelegation({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const session = useSession()
  const [tools, setTools] = useState('')
  const [hours, setHours] = useState<(typeof lifetimes)[number]['value']>('1')
  const [person, setPerson] = useState<Picked>()
  const create = useWrite('createDelegation')
  if (create.data) {
    return (
      <Secret title={`A delegation to ${agent.name}`} what="token" value={create.data.token} onClose={onClose}>
        <p>
          The agent sends it with its calls, in <code>_meta["mandate/delegation"]</code> or in the header{' '}
          <code>Mandate-Delegation</code>. No other agent can use it.
        </p>
      </Secret>
    )
  }
  const submit = async () => {
    await create.mutateAsync({
      body: {
        agent_id: agent.id,
        tools: tools.split(/[\s,]+/).filter(Boolean),
        expires_at: new Date(Date.now() + Number(hours) * hourMs - marginMs).toISOString(),
        ...(person && { subject_user_id: person.id }),
      },
    })
  }
  const { of, rest } = errorOfField(create.error, ['tools', 'expires_at'])
  return (
    <FormDialog
      title={`Delegate to ${agent.name}`}
      verb="Delegate"
      act={submit}
      isBusy={create.isPending}
      fault={rest}
      onClose={onClose}
    >
      <Field
        label="Tools"
        value={tools}
        onChange={setTools}
        error={of.tools}
        hint={
          <>
            What the agent may call, as patterns such as <code>mcp:files/read*</code>. Its policy must allow the calls
            too.
          </>
        }
        isMono
        autoComplete="off"
        maxLength={20_000}
        autoFocus
      />
      <SelectField label="Ends after" value={hours} onChange={setHours} options={lifetimes} error={of.expires_at} />
      {whyNot(agent, 'createDelegation:other') === undefined && (
        <PersonPicker label="For" person={person ?? { id: session.user.id, name: 'You' }} onChange={setPerson} />
      )}
    </FormDialog>
  )
}
