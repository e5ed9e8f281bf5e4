import { MandateError } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { Door, doorCss } from '../../shell/doors/door.tsx'
import { useMailToken } from '../../shell/doors/use-mail-token.ts'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { ownRole } from '../../words/words.ts'
import { AcceptForm } from './accept-form.tsx'

/** Shows what an invitation offers, and accepts it. */
export function JoinPage() {
  const token = useMailToken(useSearch({ from: '/join' }).token) ?? ''
  // The preview is not read again: after the acceptance, the invitation is used.
  const preview = read('previewInvitation', { body: { token } })
  const still = { staleTime: Number.POSITIVE_INFINITY, meta: { isStill: true } }
  const { data, error, refetch } = useQuery({ ...preview, ...still, enabled: token !== '' })
  if (token === '') return <NoInvitation what="The link is incomplete." />
  if (error instanceof MandateError && error.status === 410)
    return <NoInvitation what="This invitation has been used or has expired." />
  if (!data)
    return (
      <Door name="Join an organization" sentence="Mandate reads your invitation.">
        {error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading rows={3} />}
      </Door>
    )
  const { organization, invited_by: inviter } = data
  const by = inviter === null ? 'You are invited' : `${inviter} invites you`
  return (
    <Door name={`Join ${organization}`} sentence={`${by} to ${organization}, as ${ownRole(data)}.`}>
      <AcceptForm token={token} invitation={data} />
    </Door>
  )
}

/** For a link whose invitation cannot be accepted. */
function NoInvitation({ what }: { what: string }) {
  return (
    <Door name="Join an organization" sentence={what}>
      <p>
        If you have joined before, <Link to="/sign-in">sign in</Link>.
      </p>
      <p className={doorCss.note}>
        If not, ask the person who invited you to send the invitation again. Only the link of the newest mail works,
        once, for 7 days.
      </p>
    </Door>
  )
}
