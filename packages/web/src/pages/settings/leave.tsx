import { useState } from 'react'
import { client } from '../../api/client.ts'
import { whyNot } from '../../api/why-not.ts'
import { leave, useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'

/** Deletes the account of the person who is signed in. */
export function Leave() {
  const session = useSession()
  const { user, tenant } = session
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button look="danger" disabledBecause={whyNot(session, 'removeMyself')} onPress={() => setAsked(true)}>
        Leave the organization
      </Button>
      {isAsked && (
        <Confirm
          title={`Leave ${tenant.name}?`}
          verb="Leave the organization"
          look="stop"
          isFinal
          typed={user.email}
          onClose={() => setAsked(false)}
          act={async () => {
            await client.call('removeMyself')
            leave()
          }}
        >
          <p>Your account and your API keys are deleted at once. What you did stays in the audit trail.</p>
        </Confirm>
      )}
    </>
  )
}
