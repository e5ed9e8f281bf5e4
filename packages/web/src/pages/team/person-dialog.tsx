import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read, useWrite } from '../../api/queries.ts'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { counted } from '../../words/words.ts'
import { ChangeRole } from './change-role.tsx'
import { Grants } from './grants.tsx'
import { grantsEnd, nameOf, readOnlyHint, roleWords } from './words.ts'

export type PersonAct =
  | 'role'
  | 'limit access'
  | 'full access'
  | 'read-only'
  | 'grants'
  | 'reset mfa'
  | 'end sessions'
  | 'remove'

interface OfPerson {
  user: Schema<'User'>
  onClose: () => void
}

/** The dialog of one action on a person. */
export function PersonDialog({ act, ...rest }: OfPerson & { act: PersonAct }) {
  if (act === 'role') return <ChangeRole {...rest} />
  if (act === 'grants') return <Grants {...rest} />
  if (act === 'limit access') return <SetAccess {...rest} scope="scoped" />
  if (act === 'full access') return <SetAccess {...rest} scope="all" />
  if (act === 'read-only') return <SetReadOnly {...rest} />
  if (act === 'reset mfa') return <ResetMfa {...rest} />
  if (act === 'end sessions') return <EndSessions {...rest} />
  return <Remove {...rest} />
}

function SetAccess({ user, onClose, scope }: OfPerson & { scope: 'all' | 'scoped' }) {
  const write = useWrite('setAccessScope')
  const name = nameOf(user)
  const isLimit = scope === 'scoped'
  return (
    <Confirm
      title={isLimit ? `Limit the access of ${name}?` : `Give ${name} full access?`}
      verb={isLimit ? 'Limit access' : 'Give full access'}
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { user_id: user.id }, body: { access_scope: scope } })
        tell(isLimit ? `Limited the access of ${name}.` : `Gave ${name} full access.`)
      }}
    >
      <p>
        {isLimit
          ? 'This person will see only the agents that you grant, and the environments that you open. Grant them after this.'
          : `This person will see the whole organization.${grantsEnd(user)}`}
      </p>
    </Confirm>
  )
}

function SetReadOnly({ user, onClose }: OfPerson) {
  const write = useWrite('updateUser')
  const name = nameOf(user)
  const isSet = !user.read_only
  return (
    <Confirm
      title={isSet ? `Make ${name} read-only?` : `Let ${name} make changes?`}
      verb={isSet ? 'Make read-only' : 'Allow changes'}
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { user_id: user.id }, body: { read_only: isSet } })
        tell(isSet ? `${name} is read-only now.` : `${name} may make changes now.`)
      }}
    >
      <p>
        {isSet
          ? `${readOnlyHint} It counts from the next request, and delegations that act for this person end.`
          : `This person and their API keys may then do what the role ${roleWords[user.role].toLowerCase()} allows.`}
      </p>
    </Confirm>
  )
}

function ResetMfa({ user, onClose }: OfPerson) {
  const write = useWrite('resetMfa')
  const name = nameOf(user)
  return (
    <Confirm
      title={`Reset MFA of ${name}?`}
      verb="Reset MFA"
      look="danger"
      isFinal
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { user_id: user.id } })
        tell(`Reset MFA of ${name}.`)
      }}
    >
      <p>
        The second factors of this person are cleared, and every session ends. A mail says so. The next sign-in needs
        only the password.
      </p>
    </Confirm>
  )
}

function EndSessions({ user, onClose }: OfPerson) {
  const write = useWrite('revokeUserSessions')
  const name = nameOf(user)
  return (
    <Confirm
      title={`End the sessions of ${name}?`}
      verb="End sessions"
      look="danger"
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path: { user_id: user.id } })
        tell(`Ended the sessions of ${name}.`)
      }}
    >
      <p>
        This person must sign in again, on every device. Pages that are open work for at most 15 more minutes, and can
        make most changes until then. API keys keep working. To stop the person at once, remove the person.
      </p>
    </Confirm>
  )
}

function Remove({ user, onClose }: OfPerson) {
  const write = useWrite('removeUser')
  const path = { user_id: user.id }
  const { data, error, refetch } = useQuery({ ...read('previewRemoval', { path }), staleTime: 0 })
  const name = nameOf(user)
  return (
    <Confirm
      title={`Remove ${name}?`}
      verb="Remove"
      look="danger"
      isFinal
      missing={data ? undefined : 'The effects must be read first.'}
      onClose={onClose}
      act={async () => {
        await write.mutateAsync({ path })
        tell(`Removed ${name}.`)
      }}
    >
      <p>This person loses all access at once. What they did stays in the audit trail.</p>
      {error && <Failed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={3} />}
      {data && <RemovalEffects preview={data} />}
    </Confirm>
  )
}

function RemovalEffects({ preview }: { preview: Schema<'RemovalPreview'> }) {
  const { api_keys: keys, agents_owned: agents, open_reviews: reviews } = preview
  return (
    <ul>
      <li>
        {keys.count === 0
          ? 'No API key stops working.'
          : counted(keys.count, '# API key stops working.', '# API keys stop working.')}{' '}
        {keys.last_used_at && (
          <>
            Last used <Time at={keys.last_used_at} />.
          </>
        )}
      </li>
      <li>
        {agents === 0
          ? 'No agent loses its owner.'
          : counted(agents, '# agent loses its owner.', '# agents lose their owner.')}
      </li>
      <li>
        {reviews === 0
          ? 'No pending review was asked for by this person.'
          : counted(
              reviews,
              '# pending review was asked for by this person.',
              '# pending reviews were asked for by this person.',
            )}
      </li>
    </ul>
  )
}
