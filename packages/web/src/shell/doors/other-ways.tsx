import { MandateError, type Schema } from '@mandate/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { basePath } from '../../api/server-url.ts'
import { keepNextPage } from '../../session/next-page.ts'
import { buttonClass } from '../../ui/actions/button.tsx'
import { useSettled } from '../../ui/browser/use-settled.ts'
import { FieldError } from '../../ui/fields/field.tsx'
import { doorCss } from './door.tsx'

interface OtherWaysProps {
  email: string
  /** The page to open after the sign-in. */
  next?: string | undefined
  /** The token of an invitation that the sign-in accepts. */
  invitation?: string
  /** Opens the provider in another tab, so that this page stays. */
  inNewTab?: boolean
}

/** The ways to sign in besides the password. The answer depends only on the domain of the address. */
export function OtherWays({ email, next, invitation, inNewTab = false }: OtherWaysProps) {
  // The server is not told who types here.
  const domain = useSettled(/^[^@\s]+@([^@\s]+\.[^@\s]+)$/.exec(email)?.[1]?.toLowerCase())
  const { data, error } = useQuery({
    ...read('listProviders', { query: domain === undefined ? {} : { email: `anyone@${domain}` } }),
    placeholderData: keepPreviousData,
  })
  const others = data?.providers.filter(({ type }) => type !== 'password') ?? []
  // A person with a password can sign in without this answer.
  if (error && !(error instanceof MandateError && error.status === 429)) return <FieldError text={error.message} />
  if (others.length === 0) return null
  return (
    <>
      <div className={doorCss.or}>or</div>
      <div className={doorCss.ways}>
        {others.map((provider) => (
          <a
            key={provider.provider ?? provider.type}
            className={buttonClass('tall')}
            href={startOf(provider, invitation)}
            onClick={() => keepNextPage(next)}
            {...(inNewTab && { target: '_blank' })}
          >
            {provider.type === 'google' ? 'Google' : 'Single sign-on of your organization'}
            {inNewTab && ' (in a new tab)'}
          </a>
        ))}
      </div>
    </>
  )
}

/** Returns the address that sends the browser to the provider. A SAML sign-in accepts a pending invitation of the address automatically. */
function startOf({ type, provider = '' }: Schema<'SignInProvider'>, invitation: string | undefined): string {
  const id = encodeURIComponent(provider.replace(/^saml\./, ''))
  if (type === 'saml') return `${basePath}/api/v1/auth/saml/${id}/start`
  const query = invitation === undefined ? '' : `?${new URLSearchParams({ invitation })}`
  return `${basePath}/api/v1/auth/google/start${query}`
}
