import { knownToolLabels } from '@mandate/contract/words/tool-words'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { write } from '../../api/queries.ts'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { useBase } from '../../ui/dialogs/use-base.tsx'
import { isSame } from '../../ui/fields/changed-values.ts'
import { Check } from '../../ui/fields/check.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import type { Tool } from './words.ts'

const hints: Record<(typeof knownToolLabels)[number], string> = {
  untrusted_output: 'What it returns comes from outside, such as web pages or mail.',
  sensitive_output: 'What it returns must not leave the organization.',
  external_write: 'It writes where others can read it, such as mail or a public page.',
  destructive: 'It deletes or overwrites.',
}

const isKnown = (label: string) => Object.hasOwn(hints, label)
const ownOf = (labels: readonly string[]) => labels.filter((label) => !isKnown(label)).join(', ')

/** Sets the labels of a tool, which rules and sessions read. */
export function LabelsDialog({ tool, onClose }: { tool: Tool; onClose: () => void }) {
  const [labels, setLabels] = useState<readonly string[]>(tool.labels)
  const [own, setOwn] = useState(ownOf(tool.labels))
  const path = { tool_id: tool.id }
  const typed = [...labels.filter(isKnown), ...own.split(/[\s,]+/).filter(Boolean)]
  const { missing, save, race } = useBase<Pick<Tool, 'labels'>>({
    stored: { labels: tool.labels },
    changesFrom: (base) => (isSame(base.labels, typed) ? {} : { labels: typed }),
    words: { labels: ['Labels', (all) => all.join('\n')] },
    read: () => client.call('getTool', { path }),
    show: ({ labels: shown }) => {
      setLabels(shown)
      setOwn(ownOf(shown))
    },
    // A save without a change confirms the labels that the server of the tool suggested.
    send: ({ labels: changed }, current) => write('labelTool', { path, body: { labels: changed ?? current.labels } }),
  })
  const submit = async () => {
    if (!(await save.mutateAsync())) return false
    tell(`Changed the labels of ${tool.tool}.`)
    onClose()
    return true
  }
  const { of, rest } = errorOfField(save.error, ['labels'])
  return (
    <FormDialog
      title={`Labels of ${tool.tool}`}
      verb="Save labels"
      act={submit}
      isBusy={save.isPending}
      fault={rest}
      missing={missing}
      onClose={onClose}
    >
      <p>Rules of policies read labels. The server of the tool suggested the first ones, so they can be wrong.</p>
      {race}
      {knownToolLabels.map((label) => (
        <Check
          key={label}
          label={label}
          hint={hints[label]}
          isOn={labels.includes(label)}
          onChange={(isOn) => setLabels(isOn ? [...labels, label] : labels.filter((one) => one !== label))}
        />
      ))}
      <Field
        label="Other labels"
        value={own}
        onChange={setOwn}
        error={of.labels}
        hint="Lower-case letters, digits and _, with commas between them."
        isMono
        maxLength={400}
        autoComplete="off"
      />
    </FormDialog>
  )
}
