import { useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { serverUrl } from '../../../api/server-url.ts'
import { useSession } from '../../../session/session.ts'
import { Button } from '../../../ui/actions/button.tsx'
import { CopyFrame } from '../../../ui/actions/copy-frame.tsx'
import { saveFile } from '../../../ui/actions/save-file.ts'
import { tell } from '../../../ui/dialogs/toast.tsx'
import { State } from '../../../ui/page/state.tsx'
import { Phrase } from '../../../ui/texts/direction/phrase.tsx'
import { Name } from '../../../ui/texts/name.tsx'
import { Failed } from '../../../ui/texts/notes.tsx'
import { Time } from '../../../ui/texts/time.tsx'
import { verifyTrail } from '../../../words/commands.ts'
import { numberOf } from '../../../words/words.ts'
import css from '../audit.module.css'
import { rowId } from '../entries.tsx'
import { type Entry, sentenceOf } from '../entry-sentence.ts'
import { outcomeLook, outcomeNotes, outcomeText } from './check-words.ts'
import type { CheckState, Result } from './use-check.ts'

const fileName = 'audit-check.ndjson'

interface CheckBoxProps {
  state: CheckState
  names: Record<string, string>
  /** True if the exports of this person have seals. */
  hasSeals: boolean
  onRetry: () => void
}

/** The check in this browser: its progress, its outcome in words, and the file that was checked. */
export function CheckBox({ state: { progress, result, error }, names, hasSeals, onRetry }: CheckBoxProps) {
  const id = useId()
  return (
    <section className={css.proof} aria-labelledby={id}>
      <header>
        <h2 id={id}>Check in this browser</h2>
        {result && <State {...outcomeLook(result.outcome, hasSeals)} />}
        {result && (
          <span className={css.note}>
            <Time at={result.at} />
          </span>
        )}
      </header>
      {!error && (
        <p role="status" className={css.outcome}>
          {result ? outcomeText(result.outcome, hasSeals) : 'Checking the entries of this period …'}
        </p>
      )}
      {!result && !error && (
        <p className={css.note}>
          {progress
            ? `${numberOf(progress.checked)} of ${numberOf(progress.lines)} lines of the export are checked.`
            : 'The browser reads the export.'}
        </p>
      )}
      {error && <Failed error={error} onRetry={onRetry} />}
      {result && <Details result={result} names={names} hasSeals={hasSeals} />}
    </section>
  )
}

interface DetailsProps extends Pick<CheckBoxProps, 'names' | 'hasSeals'> {
  result: Result
}

function Details({ result: { outcome, file, left }, names, hasSeals }: DetailsProps) {
  const { tenant } = useSession()
  const entry = outcome.is === 'misfit' ? outcome.misfit.entry : undefined
  const notes = outcomeNotes(outcome, left, hasSeals).join(' ')
  const save = () => {
    saveFile(file, fileName)
    tell(`Saved what was checked as ${fileName}.`)
  }
  return (
    <>
      {entry && <Named entry={entry} names={names} />}
      {notes && <p className={css.note}>{notes}</p>}
      <div className={css.saved}>
        <Button onPress={save}>Save what was checked</Button>
        {hasSeals && (
          <span className={css.note}>
            The command line checks the same file. Compare <code>signed_by</code> in its result with the fingerprint of
            the key that you noted before.
          </span>
        )}
      </div>
      {hasSeals && <CopyFrame what="command" value={`${verifyTrail(serverUrl(), fileName)} --tenant ${tenant.id}`} />}
    </>
  )
}

/** The entry that does not fit, as a sentence, and the way to it. */
function Named({ entry, names }: { entry: Entry; names: Record<string, string> }) {
  const navigate = useNavigate()
  const { actor, before, object, after } = sentenceOf(entry, names)
  const show = () => {
    const row = document.getElementById(rowId(entry.id))
    const { type, id } = entry.resource
    // An entry that the list leaves out is in the history of its object.
    const search = { tab: 'all', ...(id !== null && { resource_type: type, resource_id: id }) }
    if (!row) return void navigate({ to: '/audit', search })
    row.scrollIntoView({ block: 'center' })
    row.querySelector('button')?.focus({ preventScroll: true })
  }
  return (
    <div className={css.saved}>
      <span>
        <Phrase>{actor}</Phrase> <Phrase>{before}</Phrase> <b>{object && <Name>{object}</Name>}</b>
        <Phrase>{after}</Phrase>
      </span>
      <Button onPress={show}>Show the entry</Button>
    </div>
  )
}
