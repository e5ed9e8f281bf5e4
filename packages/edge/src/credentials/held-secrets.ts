import type { EdgeCredential } from '@mandate/contract/credentials'
import { TokenSource } from '../outgoing/token-source.ts'
import type { HeldCredential } from './held-credential.ts'
import { headerValue, requireAuthorization, variableValue } from './secret-values.ts'
import { CredentialMissing, type SecretHeaders, type ServerSecrets, type WantedCredentials } from './server-secrets.ts'

export interface HeldSecretsParts {
  readonly server: string
  readonly wanted: WantedCredentials
  readonly isPrivateAllowed: boolean
  hold(name: string, onChange: () => void): HeldCredential
  release(credential: HeldCredential): void
}

/** A header or variable of the server, and the credential for it. */
interface Place {
  readonly place: string
  readonly credential: HeldCredential
}

/** The secrets of one server, made of the credentials that the edge holds. */
export class HeldSecrets implements ServerSecrets {
  private readonly parts: HeldSecretsParts
  private readonly held = new Map<string, HeldCredential>()
  private readonly headerPlaces: readonly Place[]
  private readonly envPlaces: readonly Place[]
  private readonly listeners = new Set<() => void>()
  /** The tokens of credentials for an authorization server. A new version of a credential gets tokens of its own. */
  private readonly tokens = new WeakMap<EdgeCredential, TokenSource>()

  constructor(parts: HeldSecretsParts) {
    this.parts = parts
    this.headerPlaces = this.placesOf(parts.wanted.headers)
    this.envPlaces = this.placesOf(parts.wanted.env)
  }

  async lacking(): Promise<string | null> {
    try {
      await this.headers()
      this.env()
      return null
    } catch (error) {
      return (error as Error).message
    }
  }

  async headers(): Promise<SecretHeaders> {
    await Promise.all([...this.held.values()].map((credential) => credential.ensure()))
    const headers: Record<string, string> = {}
    let refuse: (() => void) | undefined
    for (const { place, credential } of this.headerPlaces) {
      const current = this.currentOf(credential)
      if (current.kind !== 'oauth_client_credentials') headers[place] = headerValue(current, place)
      else {
        const tokens = this.tokensOf(current, place)
        const token = await this.tokenFrom(tokens, current.name)
        headers[place] = `Bearer ${token}`
        refuse = () => tokens.refuse(token)
      }
    }
    return { headers, refuse }
  }

  env(): Readonly<Record<string, string>> {
    const values = this.envPlaces.map(({ place, credential }) => [
      place,
      variableValue(this.currentOf(credential), place),
    ])
    return Object.fromEntries(values)
  }

  onChange(listener: () => void): void {
    this.listeners.add(listener)
  }

  close(): void {
    this.listeners.clear()
    for (const credential of this.held.values()) this.parts.release(credential)
  }

  private placesOf(wanted: Readonly<Record<string, string>> = {}): Place[] {
    return Object.entries(wanted).map(([place, name]) => ({ place, credential: this.credentialOf(name) }))
  }

  private credentialOf(name: string): HeldCredential {
    const held = this.held.get(name)
    if (held) return held
    const added = this.parts.hold(name, () => {
      for (const listener of this.listeners) listener()
    })
    this.held.set(name, added)
    return added
  }

  private currentOf(credential: HeldCredential): EdgeCredential {
    if (credential.current) return credential.current
    throw new CredentialMissing(`the tool server ${this.parts.server} cannot be called: ${credential.fault}`)
  }

  private tokensOf(credential: EdgeCredential, header: string): TokenSource {
    requireAuthorization(credential, header)
    const known = this.tokens.get(credential)
    if (known) return known
    const { token_url: tokenUrl = '', client_id: clientId = '', scope } = credential.config
    const { isPrivateAllowed } = this.parts
    const added = new TokenSource({ tokenUrl, clientId, clientSecret: credential.secret, scope, isPrivateAllowed })
    this.tokens.set(credential, added)
    return added
  }

  private async tokenFrom(tokens: TokenSource, name: string): Promise<string> {
    try {
      return await tokens.token()
    } catch (error) {
      throw new CredentialMissing(
        `the tool server ${this.parts.server} cannot be called: the credential ${name} gave no token: ${(error as Error).message}`,
      )
    }
  }
}
