import type { CredentialVersion } from '@mandate/contract/credentials'
import type { CredentialEvent } from '@mandate/contract/edge-push'
import { HeldCredential, type HeldParts } from './held-credential.ts'
import { HeldSecrets } from './held-secrets.ts'
import type { CredentialSource, ServerSecrets, WantedCredentials } from './server-secrets.ts'

export interface StoreParts extends HeldParts {
  /** Whether tokens may be fetched from addresses in private networks. */
  readonly isPrivateAllowed: boolean
}

/** The credentials that this edge uses. They are in memory only, and fetched when a server first needs them. */
export class CredentialStore implements CredentialSource {
  private readonly parts: StoreParts
  private readonly held = new Set<HeldCredential>()

  constructor(parts: StoreParts) {
    this.parts = parts
  }

  secretsFor(server: string, wanted: WantedCredentials): ServerSecrets {
    const hold = (name: string, onChange: () => void) => {
      const credential = new HeldCredential(name, server, this.parts, onChange)
      this.held.add(credential)
      return credential
    }
    const release = (credential: HeldCredential) => {
      credential.close()
      this.held.delete(credential)
    }
    return new HeldSecrets({ server, wanted, hold, release, isPrivateAllowed: this.parts.isPrivateAllowed })
  }

  /** Applies the versions in the answer of a heartbeat. Undefined: the answer says nothing of credentials. */
  follow(versions: readonly CredentialVersion[] | undefined): void {
    if (versions === undefined) return
    const byName = new Map(versions.map(({ name, version }) => [name, version]))
    for (const credential of this.held) credential.follow(byName.get(credential.credentialName) ?? null)
  }

  /** Applies an event of the control plane's stream. */
  take({ name, version }: CredentialEvent): void {
    for (const credential of this.held) if (credential.credentialName === name) credential.follow(version)
  }

  /** Forgets all secrets, because the edge denies every call. */
  forget(reason: string): void {
    for (const credential of this.held) credential.forget(reason)
  }

  close(): void {
    for (const credential of this.held) credential.close()
    this.held.clear()
  }
}
