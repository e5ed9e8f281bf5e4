import { useState } from 'react'
import { client } from '../../api/client.ts'
import { write } from '../../api/queries.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { useBase } from '../../ui/dialogs/use-base.tsx'
import { missingOf } from '../../ui/fields/changed-values.ts'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { type AgentChange, changesOf, draftOf } from './agent-draft.ts'
import { MetadataFields } from './metadata-fields.tsx'
import { PersonPicker } from './person-picker.tsx'
import type { Agent } from './words.ts'

const fields = ['name', 'description', 'framework', 'model', 'tools', 'metadata', 'owner_user_id'] as const

/** Changes what people write about the agent. Its policy and its environment are not part of it. */
export function EditAgent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const path = { agent_id: agent.id }
  const [statusBefore] = useState(agent.status)
  const [draft, setDraft] = useState(() => draftOf(agent))
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const [names, setNames] = useState<Readonly<Record<string, string>>>(agent.names ?? {})
  const nameOf = (id: string) => names[id] ?? agent.names?.[id] ?? 'a removed person'
  const { base, changes, missing, save, race } = useBase<Agent, AgentChange>({
    stored: agent,
    changesFrom: (seen) => changesOf(seen, draft),
    words: {
      name: ['Name', String],
      description: ['Description', String],
      framework: ['Framework', String],
      model: ['Model', String],
      tools: ['Tools', (tools) => tools.join('\n')],
      metadata: [
        'Metadata',
        (metadata) =>
          Object.entries(metadata)
            .map((entry) => entry.join(': '))
            .join('\n'),
      ],
      owner_user_id: ['Owner', (id) => (id === null ? 'nobody' : nameOf(id))],
    },
    read: async () => {
      const current = await client.call('getAgent', { path, query: { include: ['names'] } })
      setNames((before) => ({ ...current.names, ...before }))
      return current
    },
    show: (shown) => setDraft(draftOf(shown)),
    send: (body) => write('updateAgent', { path, body }),
  })
  const submit = async () => {
    if (!(await save.mutateAsync())) return false
    tell('The agent is changed.')
    onClose()
    return true
  }
  const { of, rest } = errorOfField(save.error, fields)
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
      title={`Edit ${base.name}`}
      verb="Save"
      act={submit}
      isBusy={save.isPending}
      fault={rest}
      missing={missing ?? missingOf(changes)}
      isWide
      onClose={onClose}
    >
      {race}
      {agent.status === 'archived' && statusBefore !== 'archived' && (
        <p role="alert">The agent was archived while you edited: every call is denied.</p>
      )}
      {text('name', 'Name', 200)}
      {text('description', 'Description', 4000, 3)}
      <PersonPicker
        label="Owner, who answers for the agent"
        person={
          draft.owner_user_id === null ? undefined : { id: draft.owner_user_id, name: nameOf(draft.owner_user_id) }
        }
        onChange={(person) => {
          setNames((before) => ({ ...before, [person.id]: person.name }))
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
