import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { serverUrl } from '../../api/server-url.ts'
import { Copy } from '../../ui/actions/copy.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'

/** What the identity provider must know of Mandate. The addresses contain the provider id: the typed one, or the one that is in force. */
export function SamlAddresses({ tenant, typed }: { tenant: Schema<'Tenant'>; typed: string }) {
  const { saml_enabled: isOn, saml_email_domain: domain } = tenant
  const { data } = useQuery({
    ...read('listProviders', { query: { email: `anyone@${domain}` } }),
    enabled: isOn && Boolean(domain),
  })
  const inForce = data?.providers.find(({ type }) => type === 'saml')?.provider
  const id = (typed.trim() || inForce || '').replace(/^saml\./, '')
  if (id === '') return null
  const metadata = `${serverUrl()}/api/v1/auth/saml/${encodeURIComponent(id)}/metadata`
  const acs = `${serverUrl()}/api/v1/auth/saml/${encodeURIComponent(id)}/acs`
  return (
    <KeyValues
      rows={[
        [
          'Metadata for the provider',
          isOn ? (
            <a key="metadata" href={metadata}>
              {metadata}
            </a>
          ) : (
            'after SAML is on'
          ),
        ],
        ['Where it sends answers', <Copy key="acs" what="address for answers" value={acs} />],
      ]}
    />
  )
}
