import type { Input } from '@mandate/sdk'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { serverUrl } from '../../api/server-url.ts'
import { Button } from '../../ui/actions/button.tsx'
import { saveFile } from '../../ui/actions/save-file.ts'
import { useAct } from '../../ui/actions/use-act.ts'
import { Cancel, Dialog } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { FieldError, SelectField } from '../../ui/fields/field.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { verifyTrail } from '../../words/commands.ts'

interface ExportProps {
  /** What the API leaves out of the list on the page. */
  query: NonNullable<Input<'exportAuditEntries'>['query']>
  /** The list in words: its tab and its filters. */
  list: string
  hasFilters: boolean
  /** Whether the file can be verified offline. The file of a member or a viewer has the entries only. */
  isVerifiable: boolean
  onClose: () => void
}

type What = 'trail' | 'list'

/** Asks what to export, and saves it as a file. */
export function Export({ query, list, hasFilters, isVerifiable, onClose }: ExportProps) {
  const [what, setWhat] = useState<What>(hasFilters ? 'list' : 'trail')
  const { run, isBusy, error } = useAct()
  const file = what === 'trail' ? 'audit.ndjson' : 'audit-list.ndjson'
  const save = async () => {
    const response = await client.open('exportAuditEntries', { query: what === 'trail' ? {} : query })
    saveFile(await response.blob(), file)
    tell(`Saved the entries as ${file}.`)
  }
  return (
    <Dialog
      title="Export the audit trail"
      onClose={onClose}
      isBusy={isBusy}
      onSubmit={() => void run(save, onClose)}
      foot={
        <>
          <Cancel onPress={onClose} isBusy={isBusy} />
          <Button type="submit" look="act" isBusy={isBusy}>
            Save the file
          </Button>
        </>
      }
    >
      <SelectField
        label="Entries"
        value={what}
        onChange={setWhat}
        options={[
          { value: 'trail', text: isVerifiable ? 'The whole audit trail' : 'All entries that you may see' },
          { value: 'list', text: 'Only the list on this page' },
        ]}
        hint={<Phrase>{hintOf(what, list, isVerifiable)}</Phrase>}
      />
      <p>
        The file is {file}. Each line is JSON. The entries are in order, the oldest first.
        {isVerifiable && ' Their seals and the checkpoints are lines too.'}
      </p>
      {isVerifiable && (
        <p>
          This command checks it: <code>{verifyTrail(serverUrl(), file)}</code>
        </p>
      )}
      <FieldError text={error?.message} />
    </Dialog>
  )
}

function hintOf(what: What, list: string, isVerifiable: boolean): string {
  const chosen = what === 'list' ? `${list}. ` : ''
  if (!isVerifiable) return `${chosen}Only the export of a manager or an owner can be verified.`
  return what === 'trail'
    ? 'Every entry of every tab, without filters. The offline verifier can prove that none is missing.'
    : `${chosen}The file has only the hash of every other entry. The offline verifier proves the entries of the list.`
}
