import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Context } from 'oidc-provider'

export type OpenIdClaims = { email?: string; email_verified?: boolean; name?: string }

/** A real OpenID provider on a loopback address. It signs in the person in `signsIn` without asking. */
export type OpenIdIssuer = {
  issuer: string
  clientId: string
  clientSecret: string
  people: Map<string, OpenIdClaims>
  /** The subject that signs in next. If it is null, the sign-in fails. */
  signsIn: string | null
  /** Behaves like a browser that is sent to `url`: follows redirects with cookies up to the callback, and returns the callback URL. */
  visit(url: string): Promise<string>
  stop(): Promise<void>
}

/** `redirectUri` is the callback that is registered for the client. */
export async function startOpenIdIssuer(redirectUri: string): Promise<OpenIdIssuer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const self: OpenIdIssuer = {
    issuer,
    clientId: 'mandate',
    clientSecret: randomBytes(32).toString('hex'),
    people: new Map(),
    signsIn: null,
    visit: (url) => follow(url, redirectUri, new Map()),
    stop: () => stopServer(server),
  }
  const provider = createProvider(self, redirectUri)
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    const result = self.signsIn ? { login: { accountId: self.signsIn } } : { error: 'access_denied' }
    return provider.interactionFinished(request, response, result)
  })
  return self
}

function createProvider(self: OpenIdIssuer, redirectUri: string): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const provider: Provider = new Provider(self.issuer, {
    clients: [
      {
        client_id: self.clientId,
        client_secret: self.clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Google includes the email address and the name in the ID token, so the test issuer includes them too.
    conformIdTokenClaims: false,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_: unknown, subject: string) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...self.people.get(subject) }),
    }),
    async loadExistingGrant({ oidc }: Context) {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  return provider
}

async function follow(url: string, redirectUri: string, cookies: Map<string, string>): Promise<string> {
  if (url.startsWith(`${redirectUri}?`)) return url
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
  const location = response.headers.get('location')
  if (!location) throw new Error(`${url} did not redirect: ${response.status} ${await response.text()}`)
  for (const line of response.headers.getSetCookie()) {
    const [name, value] = (line.split(';')[0] as string).split('=') as [string, string]
    cookies.set(name, value)
  }
  return follow(new URL(location, url).href, redirectUri, cookies)
}

async function stopServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}
