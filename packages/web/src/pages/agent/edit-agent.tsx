import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { changesOf, draftOf } from './agent-draft.ts'
import { MetadataFields } from './metadata-fields.tsx'
import { PersonPicker } from './person-picker.tsx'
import type { Agent } from './words.ts'

const fields = ['name', 'description', 'framework', 'model', 'tools', 'metadata', 'owner_user_id'] as const

/** Changes what people write about the agent. Its policy and its environment are not part of it. */
export function EditAgent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const write = useWrite('updateAgent')
  // Events can change the agent while the dialog is open. The draft belongs to the agent that the person saw.
  const [seen] = useState(agent)
  const [draft, setDraft] = useState(() => draftOf(seen))
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const changes = changesOf(seen, draft)
  const isChanged = Object.keys(changes).length > 0
  const { owner_user_id: ownerId, names = {} } = seen
  const [owner, setOwner] = useState(
    ownerId === null ? undefined : { id: ownerId, name: names[ownerId] ?? 'a removed person' },
  )
  const submit = async () => {
    await write.mutateAsync({ path: { agent_id: seen.id }, body: changes })
    tell('The agent is changed.')
    onClose()
  }
  const { of, rest } = errorOfField(write.error, fields)
  const text = (field: 'name' | 'description' | 'framework' | 'model', label: string, maxLength: number, lines = 1) => (
    <Field
      label={label}
      value={draft[field]}
      onChange={(value) => set({ [field]: value })}
      error={of[field]}
      maxLength={maxLength}
      lines={lines}
      autoComplete="off"
    />
  )
  return (
    <FormDialog
      title={`Edit ${seen.name}`}
      verb="Save"
      act={submit}
      isBusy={write.isPending}
      fault={rest}
      missing={isChanged ? undefined : 'Nothing is changed.'}
      isWide
      onClose={onClose}
    >
      {text('name', 'Name', 200)}
      {text('description', 'Description', 4000, 3)}
      <PersonPicker
        label="Owner, who answers for the agent"
        person={owner}
        onChange={(person) => {
          setOwner(person)
          set({ owner_user_id: person.id })
        }}
      />
      <FieldError text={of.owner_user_id} />
      {text('framework', 'Framework', 200)}
      {text('model', 'Model', 200)}
      <Field
        label="Tools, one in each line"
        value={draft.tools}
        onChange={(tools) => set({ tools })}
        error={of.tools}
        lines={4}
        isMono
        hint="The list grants nothing: the policy decides."
      />
      <MetadataFields entries={draft.metadata} onChange={(metadata) => set({ metadata })} error={of.metadata} />
    </FormDialog>
  )
}
