import type { Schema } from '@mandate/sdk'
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
import { roleChoices } from './change-role.tsx'
import { deliveryWords, readOnlyHint, roleHints } from './words.ts'

/** Invites a person with a role, or a learner, who has none. */
export function Invite({ isLearner, onClose }: { isLearner: boolean; onClose: () => void }) {
  const session = useSession()
  const { tenant } = session
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Schema<'User'>['role']>('member')
  const [isReadOnly, setReadOnly] = useState(false)
  const invite = useWrite('inviteUser')
  const inviteLearner = useWrite('inviteLearner')
  const { isPending, error, data } = isLearner ? inviteLearner : invite
  const maySetReadOnly = whyNot(session, 'inviteUser:read_only') === undefined
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
      onClose={onClose}
    >
      <Field
        label="E-mail"
        type="email"
        value={email}
        onChange={setEmail}
        error={error?.message}
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
