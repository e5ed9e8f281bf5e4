import { MandateError, type Schema } from '@mandate/sdk'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { basePath } from '../../api/server-url.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { Check } from '../../ui/fields/check.tsx'
import { Field, SelectField } from '../../ui/fields/field.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { roleChoices } from './change-role.tsx'
import { deliveryWords, freeSeats, readOnlyHint, roleHints } from './words.ts'

interface InviteProps {
  isLearner: boolean
  /** Undefined until they are read. */
  seats: Schema<'Tenant'>['seats']
  onClose: () => void
}

/** The errors that are about the address. */
const aboutAddress: readonly string[] = ['already_member', 'academy_learner_exists']

/** Invites a person with a role, or a learner, who has none. */
export function Invite({ isLearner, seats, onClose }: InviteProps) {
  const session = useSession()
  const { tenant } = session
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Schema<'User'>['role']>('member')
  const [isReadOnly, setReadOnly] = useState(false)
  const invite = useWrite('inviteUser')
  const inviteLearner = useWrite('inviteLearner')
  const { isPending, error, data } = isLearner ? inviteLearner : invite
  const maySetReadOnly = whyNot(session, 'inviteUser:read_only') === undefined
  const ofAddress = error instanceof MandateError && aboutAddress.includes(error.code ?? '')
  const { of, rest } = errorOfField(error, ['email'])
  const isFull = !isLearner && seats !== undefined && freeSeats(seats) === 0
  const submit = async () => {
    if (isLearner) await inviteLearner.mutateAsync({ body: { email } })
    else
      await invite.mutateAsync({
        path: { id: tenant.id },
        // A renewed invitation keeps what is not sent.
        body: { email, role, ...(maySetReadOnly && { read_only: isReadOnly }) },
      })
  }
  if (data) return <Invited invitation={data} onClose={onClose} />
  return (
    <FormDialog
      title={isLearner ? 'Invite a learner' : 'Invite a person'}
      verb="Send invitation"
      act={submit}
      isBusy={isPending}
      fault={ofAddress ? undefined : rest}
      onClose={onClose}
    >
      {isFull && (
        <p>
          No seat is free. Only an invitation that already holds a seat can be sent again. Remove a person or withdraw
          an invitation to free a seat.
        </p>
      )}
      <Field
        label="E-mail"
        type="email"
        value={email}
        onChange={setEmail}
        error={ofAddress ? error?.message : of.email}
        autoComplete="off"
        maxLength={320}
        isRequired
        autoFocus
      />
      {isLearner ? (
        <p>A learner sees only the training and holds no seat.</p>
      ) : (
        <>
          <SelectField
            label="Role"
            value={role}
            onChange={setRole}
            options={roleChoices(whyNot(session, 'inviteUser:owner') === undefined ? [] : ['owner'])}
            hint={
              <>
                {roleHints[role]} The invitation holds a seat until it is accepted or withdrawn.{' '}
                <a href={`${basePath}/help`} target="_blank" rel="noreferrer">
                  What each role may do
                </a>
              </>
            }
          />
          <Check
            label="Read-only"
            isOn={isReadOnly}
            onChange={setReadOnly}
            hint={
              <>
                {readOnlyHint} For an auditor, choose Manager and Read-only: the person sees, verifies and exports
                everything, and changes nothing. <code>docs/audit.md</code> says more, see{' '}
                <a href={`${basePath}/help?tab=documentation`} target="_blank" rel="noreferrer">
                  Documentation
                </a>
                .
              </>
            }
            disabledBecause={whyNot(session, 'inviteUser:read_only')}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Says where the mail with the link is. The link itself is a secret of the invited person. */
function Invited({ invitation, onClose }: { invitation: Schema<'Invited'>; onClose: () => void }) {
  return (
    <Dialog
      title="The invitation is ready"
      onClose={onClose}
      onSubmit={onClose}
      foot={
        <Button type="submit" look="act">
          Close
        </Button>
      }
    >
      <p role="status">{invitation.message}</p>
      <p>{deliveryWords[invitation.mail_delivery]}</p>
      <p>
        The link works once, for seven days. Only the invited person may have it, because it is a way into the account.
        The link of an earlier invitation of this address no longer works.
      </p>
    </Dialog>
  )
}
