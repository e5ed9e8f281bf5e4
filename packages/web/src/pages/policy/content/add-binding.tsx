import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { Button } from '../../../ui/actions/button.tsx'
import { Cancel, Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Field, SelectField } from '../../../ui/fields/field.tsx'
import { actionNames } from './content-words.ts'

type Binding = Schema<'ContentBinding'>

interface AddBindingProps {
  patterns: readonly Schema<'ContentPattern'>[]
  onAdd: (binding: Binding) => void
  onClose: () => void
}

const sides = [
  { value: 'arguments', text: 'Arguments of calls' },
  { value: 'results', text: 'Results of calls' },
] as const

/** Adds a binding to the draft. */
export function AddBinding({ patterns, onAdd, onClose }: AddBindingProps) {
  const groups = [...new Set(patterns.map(({ group }) => group))]
  const [target, setTarget] = useState(`group ${groups[0]}`)
  const [on, setOn] = useState<Binding['on']>('arguments')
  const [action, setAction] = useState<Binding['action']>('flag')
  const [label, setLabel] = useState('')
  const targets = [
    ...groups.map((group) => ({ value: `group ${group}`, text: `Group ${group}` })),
    ...patterns.map(({ id, name }) => ({ value: `pattern ${id}`, text: name })),
  ]
  const actions = Object.entries(actionNames)
    .filter(([value]) => value !== 'require_approval' || on === 'arguments')
    .map(([value, text]) => ({ value: value as Binding['action'], text }))
  const isLabelled = action === 'label'
  const fault =
    isLabelled && !/^[a-z][a-z0-9_]{0,31}$/.test(label)
      ? 'Use lower-case letters, digits and underscores, and begin with a letter.'
      : undefined
  const add = () => {
    if (fault) return false
    const what = target.startsWith('group ') ? { group: target.slice(6) } : { pattern_id: target.slice(8) }
    onAdd({ ...what, on, action, ...(isLabelled && { label }) })
    onClose()
    return true
  }
  return (
    <Dialog
      title="Add a content binding"
      onClose={onClose}
      onSubmit={add}
      foot={
        <>
          <Cancel onPress={onClose} isBusy={false} />
          <Button type="submit" look="act">
            Add
          </Button>
        </>
      }
    >
      <SelectField label="Pattern or group" value={target} onChange={setTarget} options={targets} />
      <SelectField
        label="In"
        value={on}
        onChange={(side) => {
          setOn(side)
          if (side === 'results' && action === 'require_approval') setAction('flag')
        }}
        options={sides}
      />
      <SelectField label="Action" value={action} onChange={setAction} options={actions} />
      {isLabelled && (
        <Field
          label="Label"
          value={label}
          onChange={setLabel}
          error={label === '' ? undefined : fault}
          maxLength={32}
          isMono
          hint="The session of the agent gets it, for 24 hours after the last call."
        />
      )}
    </Dialog>
  )
}
