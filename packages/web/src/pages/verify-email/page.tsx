import { MandateError } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import { readAgain, useWrite } from '../../api/queries.ts'
import { useSession } from '../../session/session.ts'
import { Door, doorCss } from '../../shell/doors/door.tsx'
import { Button } from '../../ui/actions/button.tsx'
import { FieldError } from '../../ui/fields/field.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'

const name = 'Confirm your address'

/**
 * Confirms the address of the person who is signed in. Opening the link is enough: the token works only for the account that it was made
 * for, so a link of someone else confirms nothing.
 */
export function VerifyEmailPage() {
  const { token = '' } = useSearch({ from: '/verify-email' })
  const { user, email_verified: isVerified } = useSession()
  const { data, error, refetch } = useQuery({ ...verification(token), enabled: token !== '' && !isVerified })
  const refusal = token === '' ? 'the link is incomplete' : data?.refusal
  if (isVerified || refusal === null)
    return (
      <Door name={name} sentence="Your address is confirmed.">
        <p>
          <Name>{user.email}</Name> is yours. Go to the <Link to="/">overview</Link>.
        </p>
      </Door>
    )
  if (refusal !== undefined)
    return (
      <Door name={name} sentence="Your address is not confirmed yet.">
        <NewLink reason={refusal} email={user.email} />
      </Door>
    )
  return (
    <Door name={name} sentence={error ? 'The link could not be checked.' : 'Mandate checks the link.'}>
      {error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading rows={2} />}
    </Door>
  )
}

/**
 * Sends the token once, although the page may be rendered several times. `refusal` says why the link does not work. It is no error, because a
 * read that failed is repeated after each write.
 */
const verification = (token: string) => ({
  queryKey: ['verifyEmail', token],
  queryFn: async () => {
    try {
      await client.call('verifyEmail', { body: { token } })
    } catch (error) {
      if (error instanceof MandateError && error.status === 410) return { refusal: error.message }
      throw error
    }
    await readAgain('getSession')
    return { refusal: null }
  },
  staleTime: Number.POSITIVE_INFINITY,
  meta: { isStill: true },
})

function NewLink({ reason, email }: { reason: string; email: string }) {
  const { mutate, data, error, isPending } = useWrite('requestVerification')
  return (
    <div className={doorCss.form}>
      <FieldError text={reason} />
      <p>
        You are signed in as <Name>{email}</Name>. Only the link of the newest mail to this address works, once, for 24
        hours.
      </p>
      <div className={doorCss.row}>
        <Button look="act tall" isBusy={isPending} onPress={() => mutate({})}>
          Send a new link
        </Button>
        <Link to="/">Go to the overview</Link>
      </div>
      <FieldError text={error?.message} />
      <p role="status">{data?.message}</p>
    </div>
  )
}
