import { Button } from '../../ui/actions/button.tsx'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import css from './agent.module.css'
import type { AgentDraft } from './agent-draft.ts'

interface MetadataFieldsProps {
  entries: AgentDraft['metadata']
  onChange: (entries: AgentDraft['metadata']) => void
  error: string | undefined
}

/** The most entries that an agent can have. */
const most = 50

/** Names and values of the organization's choice, each in a row. */
export function MetadataFields({ entries, onChange, error }: MetadataFieldsProps) {
  const set = (index: number, entry: readonly [string, string]) =>
    onChange(entries.map((other, at) => (at === index ? entry : other)))
  return (
    <fieldset className={css.entries}>
      <legend>Metadata</legend>
      {entries.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry has no other identity while its name is typed
        <div key={index} className={css.entry}>
          <Field
            label={`Name ${index + 1}`}
            value={name}
            onChange={(next) => set(index, [next, value])}
            maxLength={100}
          />
          <Field
            label={`Value ${index + 1}`}
            value={value}
            onChange={(next) => set(index, [name, next])}
            lines={value.includes('\n') ? 3 : 1}
            maxLength={2000}
          />
          <Button
            look="plain"
            name={`Remove entry ${index + 1}`}
            onPress={() => onChange(entries.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button
          onPress={() => onChange([...entries, ['', '']])}
          disabledBecause={entries.length >= most ? `An agent has at most ${most} entries.` : undefined}
        >
          Add entry
        </Button>
      </div>
      <FieldError text={error} />
    </fieldset>
  )
}
