import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlaceOf } from '../../../api/environments.ts'
import { read } from '../../../api/queries.ts'
import { whyNot } from '../../../api/why-not.ts'
import { Button } from '../../../ui/actions/button.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { LostRace } from '../../../ui/dialogs/lost-race.tsx'
import { tell } from '../../../ui/dialogs/toast.tsx'
import { Diff } from '../../../ui/texts/diff.tsx'
import { isolated } from '../../../ui/texts/direction/isolated.ts'
import { counted } from '../../../words/words.ts'
import { type Document, documentOf, forForm, type Policy } from '../document/document.ts'
import css from '../policy.module.css'
import { hunksOf } from '../rules/words.ts'
import type { useImpact } from './checks.ts'
import type { Fault } from './faults.ts'
import { looseningOf } from './loosening.ts'
import type { DraftState } from './use-draft.ts'

/** Why the draft cannot be saved, if it cannot. */
function whyUnsaved({ draft, textError, faults, newer, isValid }: DraftState, policy: Policy): string | undefined {
  const refused = whyNot(policy, 'replacePolicy')
  if (refused !== undefined) return refused
  if (!draft) return 'Nothing is changed.'
  if (textError !== undefined) return 'The text is not valid JSON.'
  if (faults.length > 0 && faults.every((fault) => isEmptyRule(fault, draft)))
    return counted(faults.length, '# rule names no tool yet.', '# rules name no tool yet.')
  // A refused save may be tried again.
  if (faults.length > 0 && !isValid) return counted(faults.length, '# field needs a fix.', '# fields need a fix.')
  if (newer) return `Version ${newer.version} was saved meanwhile.`
  return isValid ? undefined : 'The draft is being checked.'
}

/** A rule without a tool is not wrong while the reader fills it in. */
function isEmptyRule({ path }: Fault, draft: Document): boolean {
  const [, index] = /^rules\[(\d+)\]\.match\.tools$/.exec(path) ?? []
  return index !== undefined && forForm(draft).rules[Number(index)]?.match.tools.length === 0
}

interface SaveActionsProps {
  policy: Policy
  state: DraftState
  impact: ReturnType<typeof useImpact>
  /** Whether the tab that is open shows what is wrong with the draft. */
  showsFaults: boolean
}

export function SaveActions({ policy, state, impact, showsFaults }: SaveActionsProps) {
  const [isAsking, setAsking] = useState(false)
  // The effects belong to the draft for which they were computed. More may be typed meanwhile.
  const [asked, setAsked] = useState<{ effects: readonly string[]; save: () => Promise<void> }>()
  const press = async () => {
    setAsking(true)
    const found = await effectsToConfirm(impact)
    setAsking(false)
    if (found) setAsked({ effects: found, save: state.save })
    else
      await state.save().catch(({ message }: Error) => {
        if (!showsFaults) tell(`The policy was not saved: ${message}`)
      })
  }
  return (
    <>
      {state.draft && (
        <Button look="plain" onPress={state.discard}>
          Discard
        </Button>
      )}
      <Button
        look="act"
        onPress={() => void press()}
        isBusy={state.isSaving || isAsking}
        disabledBecause={whyUnsaved(state, policy)}
        // Without a draft the reason would only take room, except if the person may never save.
        reason={state.draft || whyNot(policy, 'replacePolicy') ? 'beside' : 'hidden'}
      >
        Save version {policy.version + 1}
      </Button>
      {asked && (
        <Confirm
          title={`Save a looser version of ${policy.name}?`}
          verb={`Save version ${policy.version + 1}`}
          isFinal
          act={asked.save}
          onClose={() => setAsked(undefined)}
        >
          <Effects sentences={asked.effects} />
        </Confirm>
      )}
    </>
  )
}

/** What the save of this draft would allow more. Waits for the impact. Undefined if there is nothing to confirm. */
async function effectsToConfirm(impact: ReturnType<typeof useImpact>): Promise<readonly string[] | undefined> {
  const isCurrent = impact.data !== undefined && !impact.isPlaceholderData && !impact.isFetching
  const { data, error } = isCurrent ? impact : await impact.refetch({ cancelRefetch: false })
  if (error) return [`The impact could not be computed: ${error.message}`]
  return data?.replay && looseningOf(data.replay)
}

/** What a save would allow, one sentence a line. */
export function Effects({ sentences }: { sentences: readonly string[] }) {
  return (
    <ul className={css.effects}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

/** Another person saved while the draft was open: shows both. */
export function OtherVersion({ policyId, state }: { policyId: string; state: DraftState }) {
  const { newer, kept, keep, discard } = state
  const placeOf = usePlaceOf()
  const path = { policy_id: policyId, version: newer?.version ?? 1 }
  const saved = useQuery({ ...read('getPolicyVersion', { path }), enabled: newer !== undefined })
  if (!newer || !kept) return null
  const who = isolated(saved.data?.saved_by.display_name || 'someone else')
  const hunks = hunksOf(documentOf(newer), forForm(kept), placeOf)
  return (
    <LostRace
      label="Another version was saved"
      text={`Version ${newer.version} was saved by ${who} while you edited. If you keep your draft, it changes that version in these places.`}
      keep={{ text: `Keep my draft for version ${newer.version + 1}`, act: keep }}
      take={{ text: `Take version ${newer.version}`, act: discard }}
    >
      {hunks.length > 0 ? (
        <Diff hunks={hunks} beforeName={`Version ${newer.version}`} afterName="Your draft" />
      ) : (
        'Your draft and that version are the same.'
      )}
    </LostRace>
  )
}
