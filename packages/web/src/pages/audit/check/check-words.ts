import type { StateLook } from '../../../ui/page/state.tsx'
import { asSentence, counted, numberOf } from '../../../words/words.ts'
import type { Misfit, Outcome } from './check-export.ts'
import { mostEntries } from './period.ts'

const outcomeLooks: Record<Outcome['is'], StateLook> = {
  fits: { glyph: 'seal', word: 'All fit', tone: 'proof' },
  misfit: { glyph: 'close', word: 'Does not fit', tone: 'deny' },
  'bad keys': { glyph: 'close', word: 'Keys do not fit', tone: 'deny' },
  'not verifiable': { glyph: 'proposed', word: 'Not verifiable', tone: 'quiet' },
}

/** What does not fit, after the number of the entry. */
const misfits: Record<Misfit['reason'], string> = {
  beginning_missing: 'the trail does not begin with the creation of the organization',
  entry_changed: 'its content is not the content that was sealed',
  entry_missing: 'its seal is there, but the entry is gone',
  entry_unauthenticated: 'the service did not write it, or it was changed before it was sealed',
  entry_unsealed: 'it was added without a seal',
  seal_changed: 'its seal does not follow from the entry before',
  seal_missing: 'its seal is gone, or the trail was cut there',
  checkpoint_changed: 'the signed checkpoint at this place has another hash than the chain',
  checkpoint_missing: 'the signed checkpoint at this place is gone',
  checkpoint_unverified: 'the signature at this place is not valid',
  head_changed: 'the stored end of the trail is not the end of the chain',
  head_missing: 'the end of the trail or of its export is gone',
  line_unreadable: 'the line after it is not a line of an export',
  export_changed: 'the lines are not those that the service exported',
  export_incomplete: 'the export is not the whole trail',
  shown_otherwise: 'this page shows it with other content than was sealed',
  not_exported: 'this page shows it, and the export does not have it',
}

/** True if the export has no fault, and the page differs from it. */
const isOfPage = ({ reason }: Misfit) => reason === 'shown_otherwise' || reason === 'not_exported'

/** Returns the shape and the word of an outcome. `hasSeals`: whether the exports of this person have seals. */
export function outcomeLook(outcome: Outcome, hasSeals: boolean): StateLook {
  if (outcome.is === 'not verifiable' && hasSeals) return { ...outcomeLooks.misfit, word: 'No seals' }
  if (outcome.is === 'fits' && outcome.unchecked > 0) return { ...outcomeLooks.fits, word: 'Checked entries fit' }
  return outcomeLooks[outcome.is]
}

export function misfitText({ reason, seq }: Misfit): string {
  const other = reason === 'entry_unsealed' ? 'An entry' : 'The trail'
  const subject = seq ? `Entry\u00a0${numberOf(seq)}` : other
  return `${subject} does not fit: ${misfits[reason]}.`
}

export function outcomeText(outcome: Outcome, hasSeals: boolean): string {
  if (outcome.is === 'misfit') return misfitText(outcome.misfit)
  if (outcome.is === 'bad keys') return `${asSentence(outcome.text)} Do not trust the keys of this server.`
  if (outcome.is === 'not verifiable')
    return hasSeals
      ? 'The export has no seals, and yours must have them. Somebody removed them.'
      : 'Your export has no seals, so it proves nothing.'
  const { after, entries, head } = outcome.verdict
  if (entries === 0) return 'No entry of this list is sealed yet. The last signature is valid.'
  const all = counted(entries, '# entry was checked and fits', '# entries were checked, and all fit')
  return `${all}, through entry\u00a0${numberOf(head?.seq ?? after)}.`
}

/** What else there is to know about a check. */
export function outcomeNotes(outcome: Outcome, left: number, hasSeals: boolean): string[] {
  if (outcome.is === 'not verifiable') {
    if (hasSeals) return []
    return [
      'Only the exports of managers and owners have seals, because the numbers of the seals show how many entries are hidden from you.',
    ]
  }
  if (outcome.is === 'misfit' && isOfPage(outcome.misfit)) {
    return [
      'The export fits by itself, so the fault is in the list of this page, or in what the export leaves out. Verify the whole trail.',
    ]
  }
  if (outcome.is !== 'fits') return []
  const { after, entries, withheld, pending, signed_by: keys } = outcome.verdict
  return [
    ...(entries > 0
      ? ['Each entry has the content that was sealed, no place of the chain is missing, and every signature is valid.']
      : []),
    ...(outcome.unchecked > 0
      ? [
          counted(
            outcome.unchecked,
            '# entry of this list has no seal yet and was not checked.',
            '# entries of this list have no seal yet and were not checked.',
          ),
        ]
      : []),
    keys.length > 1
      ? `The signatures are by the keys ${keys.join(', ')}.`
      : `The signatures are by the key ${keys.join()}.`,
    ...(withheld > 0
      ? [
          counted(
            withheld,
            '# other entry is outside the period or hidden from you: only its hash was checked.',
            '# other entries are outside the period or hidden from you: only their hashes were checked.',
          ),
        ]
      : []),
    ...(after > 0 ? [`The check begins after entry\u00a0${numberOf(after)}.`] : []),
    ...(left > 0
      ? [
          `The browser checks the newest ${numberOf(mostEntries)} entries of the period. ${counted(left, '# older entry of this list was not checked.', '# older entries of this list were not checked.')}`,
        ]
      : []),
    ...(pending > 0
      ? [counted(pending, '# entry waits for its seal.', '# entries wait for their seals.', 10_000)]
      : []),
  ]
}
