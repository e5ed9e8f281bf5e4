import type { Answer, Input } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { RefusalGroup } from '../../ui/actions/refusals.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { Panel } from '../../ui/page/panel.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { endedMeanwhile, versionText } from '../reviews/words.ts'
import { type PolicyAt, seenPolicy } from './judged.ts'
import { OwnWork } from './own-work.tsx'
import css from './review.module.css'

type Review = Answer<'getReview'>
type Outcome = Input<'resolveReview'>['body']['outcome']

const verbs: Record<Outcome, { verb: string; effect: (version: string | undefined) => string }> = {
  approved: {
    verb: 'Approve',
    effect: (version) =>
      version === undefined
        ? 'The agent is approved. The agent has no policy, so no policy version becomes the approved version.'
        : `${version} becomes the approved version, and the agent is approved.`,
  },
  attested: {
    verb: 'Attest',
    effect: (version) =>
      version === undefined
        ? 'You confirm that the agent is right as it is.'
        : `You confirm that the agent is right as it is. ${version} becomes the approved version.`,
  },
  rejected: { verb: 'Reject', effect: () => 'The agent is blocked: every call is denied.' },
}

interface JudgementProps {
  review: Review
  agentName: string
  /** The version that an approval approves. Undefined while it is read, null without a version. */
  judged: PolicyAt | null | undefined
  /** Why `judged` could not be read. */
  unread: { error: Error | null; onRetry: () => void }
  names: Readonly<Record<string, string>>
  /** Says that another version is assigned than the judged one. */
  assigned: string | undefined
}

const notRead = 'The policy version is not read yet.'

/** The buttons, while the review is pending. If it ends meanwhile, an open question stays with its comment. */
export function Judgement(props: JudgementProps) {
  const { review, judged } = props
  const outcomes: Outcome[] = review.kind === 'attestation' ? ['attested', 'rejected'] : ['approved', 'rejected']
  const refusals = Object.fromEntries(outcomes.map((each) => [each, whyNot(review, `resolveReview:${each}`)]))
  const dialog = useDialog(refusals as Record<Outcome, string | undefined>)
  const unread = (each: Outcome) => (each !== 'rejected' && judged === undefined ? notRead : undefined)
  return (
    <>
      {review.status === 'pending' && (
        <Panel title="Judgement">
          <RefusalGroup>
            {(reasons) => (
              <>
                <div className={css.judge}>
                  {outcomes.map((each) => (
                    <Button
                      key={each}
                      look="judge"
                      glyph={each === 'rejected' ? 'deny' : 'approved'}
                      onPress={() => dialog.open(each)}
                      disabledBecause={refusals[each] ?? unread(each)}
                    >
                      {verbs[each].verb}
                    </Button>
                  ))}
                </div>
                {reasons}
              </>
            )}
          </RefusalGroup>
        </Panel>
      )}
      {dialog.name && <ConfirmOutcome key={dialog.name} {...props} outcome={dialog.name} onClose={dialog.close} />}
    </>
  )
}

interface ConfirmOutcomeProps extends JudgementProps {
  outcome: Outcome
  onClose: () => void
}

function ConfirmOutcome(props: ConfirmOutcomeProps) {
  const { review, agentName, judged, unread, names, assigned, outcome, onClose } = props
  const { mutateAsync, isPending, isSuccess } = useWrite('resolveReview')
  const { user } = useSession()
  // The own judgement may be read before its answer arrives.
  const isLate = review.status !== 'pending' && !isPending && !isSuccess
  // The dialog keeps the version that it showed first. If the policy is saved meanwhile, the server refuses to approve the other version.
  const [seen, setSeen] = useState(judged)
  if (seen === undefined && judged !== undefined) setSeen(judged)
  const { verb, effect } = verbs[outcome]
  const isUnread = outcome !== 'rejected' && seen === undefined
  return (
    <Confirm
      title={`${verb} ${agentName}?`}
      verb={verb}
      comment={{ label: 'Comment', isRequired: true }}
      missing={isLate ? 'The review is not pending any more.' : isUnread ? notRead : undefined}
      act={async (comment) => {
        const body = { outcome, comment, ...seenPolicy(review, outcome, seen) }
        await mutateAsync({ path: { review_id: review.id }, body })
        tell('Your judgement is recorded.')
      }}
      onClose={onClose}
    >
      {isLate && (
        <p role="alert">
          <Phrase>{endedMeanwhile(review, names, user.id)}</Phrase>
        </p>
      )}
      {!isUnread ? (
        <p>
          <Phrase>{effect(seen ? versionText(seen, names) : undefined)}</Phrase>
        </p>
      ) : unread.error ? (
        <Failed error={unread.error} onRetry={unread.onRetry} />
      ) : (
        <Loading rows={1} />
      )}
      {outcome !== 'rejected' && assigned && (
        <p>
          <Phrase>{assigned}</Phrase>
        </p>
      )}
      {outcome !== 'rejected' && seen && <OwnWork judged={seen} />}
    </Confirm>
  )
}
