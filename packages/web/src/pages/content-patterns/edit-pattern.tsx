import type { Schema } from '@mandate/sdk'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { useWrite, write } from '../../api/queries.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { useBase } from '../../ui/dialogs/use-base.tsx'
import { changesOf, missingOf } from '../../ui/fields/changed-values.ts'
import { Field, SelectField } from '../../ui/fields/field.tsx'
import { errorOfField } from '../../words/field-errors.ts'

type Pattern = Schema<'ContentPattern'>
type Edited = Pick<Pattern, 'name' | 'group' | 'kind' | 'expression' | 'words'>

const kinds = [
  { value: 'words', text: 'Words and phrases' },
  { value: 'regex', text: 'Regular expression' },
] as const

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

/** Creates a pattern, or changes the given one. */
export function EditPattern({ pattern, onClose }: { pattern?: Pattern; onClose: () => void }) {
  const [name, setName] = useState(pattern?.name ?? '')
  const [group, setGroup] = useState(pattern?.group ?? '')
  const [kind, setKind] = useState<Pattern['kind']>(pattern?.kind ?? 'words')
  const [expression, setExpression] = useState(pattern?.expression ?? '')
  const [words, setWords] = useState(pattern?.words?.join('\n') ?? '')
  const create = useWrite('createContentPattern')
  const what = kind === 'regex' ? { expression } : { words: linesOf(words) }
  const body: Schema<'NewContentPattern'> = { name, group, kind, ...what }
  const { changes, missing, save, race } = useBase<Edited>({
    stored: pattern ?? body,
    changesFrom: (base) => {
      const typed = changesOf<Edited>(base, body)
      // Words or an expression are of their kind, which somebody else may change.
      return 'words' in typed || 'expression' in typed ? { ...typed, kind } : typed
    },
    words: {
      name: ['Name', String],
      group: ['Group', String],
      kind: ['Kind', (value) => kinds.find((one) => one.value === value)?.text ?? value],
      expression: ['Expression', String],
      words: ['Words', (list) => list?.join('\n') ?? ''],
    },
    read: async () => (await client.call('listContentPatterns')).data.find(({ id }) => id === pattern?.id) ?? body,
    show: (shown) => {
      setName(shown.name)
      setGroup(shown.group)
      setKind(shown.kind)
      setExpression(shown.expression ?? '')
      setWords(shown.words?.join('\n') ?? '')
    },
    send: async (body) => pattern && write('updateContentPattern', { path: { pattern_id: pattern.id }, body }),
  })
  const { isPending, error } = pattern ? save : create
  const submit = async () => {
    if (!pattern) await create.mutateAsync({ body })
    else if (!(await save.mutateAsync())) return false
    tell(pattern ? `Changed ${name}.` : `Created ${name}.`)
    onClose()
    return true
  }
  const { of, rest } = errorOfField(error, ['name', 'group', 'expression', 'words'])
  return (
    <FormDialog
      title={pattern ? `Change ${pattern.name}` : 'Create a content pattern'}
      verb={pattern ? 'Save' : 'Create pattern'}
      act={submit}
      isBusy={isPending}
      fault={rest}
      missing={pattern && (missing ?? missingOf(changes))}
      onClose={onClose}
    >
      {pattern && race}
      <Field
        label="Name"
        value={name}
        onChange={setName}
        error={of.name}
        maxLength={200}
        autoFocus
        hint="A redacted match is replaced by this name."
      />
      <Field
        label="Group"
        value={group}
        onChange={setGroup}
        error={of.group}
        maxLength={100}
        hint="Policies bind groups too. A pattern may join a built-in group, such as secrets."
      />
      <SelectField label="Kind" value={kind} onChange={setKind} options={kinds} />
      {kind === 'regex' ? (
        <Field
          label="Expression"
          value={expression}
          onChange={setExpression}
          error={of.expression}
          maxLength={2000}
          isMono
          hint="RE2 syntax. (?i) at the beginning ignores upper and lower case."
        />
      ) : (
        <Field
          label="Words"
          value={words}
          onChange={setWords}
          error={of.words}
          lines={5}
          hint="One word or phrase on each line. Upper and lower case are the same."
        />
      )}
    </FormDialog>
  )
}
