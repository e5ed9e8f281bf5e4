import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { leavesPage, typedForm, useUnsent } from '../../ui/dialogs/unsent.ts'
import { Field } from '../../ui/fields/field.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { clockTime, exactTime } from '../../words/times.ts'
import { endedMeanwhile } from './approval-state.ts'
import css from './approvals.module.css'
import { type Approval, deciderOf } from './queries.ts'

type Outcome = 'approved' | 'rejected'

const acts = {
  approved: { verb: 'Approve', done: () => 'Approved. The agent may repeat the call once.' },
  rejected: {
    verb: 'Deny',
    done: ({ expires_at }: Approval) => `Denied. The same call stays denied until ${clockTime(expires_at)}.`,
  },
}

/**
 * The comment and the two buttons, which look alike. Each asks once, so no single key decides. If the call ends meanwhile, an open question stays,
 * and the comment that was not sent.
 */
export function Verdict({ approval }: { approval: Approval }) {
  const [comment, setComment] = useState('')
  const [choice, setChoice] = useState<Outcome>()
  const because = whyNot(approval, 'resolveApproval')
  const disabled = because === undefined ? {} : { disabledBecause: because }
  const isOver = approval.status !== 'pending'
  const { user } = useSession()
  const isOwn = approval.resolved_by === user.id
  // The comment went with the own decision, also if its answer was lost.
  useUnsent({ ...typedForm, isUnsent: () => !isOwn && comment.trim() !== '', isLost: leavesPage('open') })
  return (
    <>
      {isOver && !isOwn && !choice && comment.trim() && (
        <p className={css.effect}>
          Your comment was not sent: “<Name>{comment.trim()}</Name>”
        </p>
      )}
      {!isOver && (
        <div className={css.verdict}>
          {because === undefined && (
            <Field
              label="Comment"
              value={comment}
              onChange={setComment}
              lines={2}
              maxLength={2000}
              hint="Everyone who sees the agent can read it. The audit trail keeps it."
            />
          )}
          <div className={css.judge}>
            <Button look="judge" glyph="deny" onPress={() => setChoice('rejected')} {...disabled} reason="hidden">
              Deny
            </Button>
            <Button look="judge" glyph="approved" onPress={() => setChoice('approved')} {...disabled}>
              Approve
            </Button>
            {because === undefined && <span className={css.note}>Your decision applies to this call only</span>}
            <span className={css.keys}>
              <kbd>J</kbd> <kbd>K</kbd> move in the list, <kbd>Enter</kbd> open
            </span>
          </div>
        </div>
      )}
      {choice && (
        <ConfirmChoice
          {...{ approval, choice, comment, isOwn }}
          onSent={() => setComment('')}
          onClose={() => setChoice(undefined)}
        />
      )}
    </>
  )
}

interface ConfirmChoiceProps {
  approval: Approval
  choice: Outcome
  comment: string
  /** Whether the person who reads the page decided the call. The answer to this decision may be lost. */
  isOwn: boolean
  onSent: () => void
  onClose: () => void
}

function ConfirmChoice({ approval, choice, comment, isOwn, onSent, onClose }: ConfirmChoiceProps) {
  const { mutateAsync, isPending, isSuccess } = useWrite('resolveApproval')
  // The own decision may be read before its answer arrives.
  const isLate = approval.status !== 'pending' && !isPending && !isSuccess
  const decider = isOwn ? 'you' : approval.resolved_by === null ? undefined : deciderOf(approval)
  const { verb, done } = acts[choice]
  const act = async () => {
    const text = comment.trim()
    await mutateAsync({
      path: { approval_id: approval.id },
      body: { outcome: choice, ...(text && { comment: text }) },
    })
    onSent()
    tell(done(approval))
  }
  return (
    <Confirm
      title={`${verb} this call of ${approval.agent_name}?`}
      verb={verb}
      act={act}
      onClose={onClose}
      isFinal
      missing={isLate ? 'The call waits no more.' : undefined}
    >
      {isLate && (
        <p className={css.effect} role="alert">
          <Phrase>{endedMeanwhile(approval, decider)}</Phrase>
        </p>
      )}
      <p className={css.effect}>
        {choice === 'approved' ? (
          <>
            The agent may call{' '}
            <code>
              <ForeignText text={approval.tool} />
            </code>{' '}
            once with these arguments, until {exactTime(approval.expires_at)}. You cannot take it back.
          </>
        ) : (
          <>
            The call of{' '}
            <code>
              <ForeignText text={approval.tool} />
            </code>{' '}
            does not pass. The same call stays denied until {exactTime(approval.expires_at)}. You cannot take it back.
          </>
        )}
      </p>
      <p className={css.effect}>
        {comment.trim() ? (
          <span>
            “<Name>{comment.trim()}</Name>”
          </span>
        ) : (
          'Without a comment.'
        )}
      </p>
    </Confirm>
  )
}
