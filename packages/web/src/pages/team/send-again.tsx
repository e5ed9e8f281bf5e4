import type { Schema } from '@mandate/sdk'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { deliveryWords } from './words.ts'

/** Sends the invitation again with a new link. Another endpoint renews the invitation of a learner. */
export function SendAgain({ user: { email, role, academy_only: isLearner } }: { user: Schema<'User'> }) {
  const session = useSession()
  const invite = useWrite('inviteUser')
  const inviteLearner = useWrite('inviteLearner')
  const operation = isLearner ? 'inviteLearner' : role === 'owner' ? 'inviteUser:owner' : 'inviteUser'
  const send = async () => {
    const { message, mail_delivery: how } = isLearner
      ? await inviteLearner.mutateAsync({ body: { email } })
      : await invite.mutateAsync({ path: { id: session.tenant.id }, body: { email, role } })
    return `${message} ${deliveryWords[how]}`
  }
  return (
    <Button
      look="plain"
      reason="hidden"
      name={`Send again to ${email}`}
      disabledBecause={whyNot(session, operation)}
      isBusy={invite.isPending || inviteLearner.isPending}
      onPress={() => void send().then(tell, (error: Error) => tell(error.message))}
    >
      Send again
    </Button>
  )
}
