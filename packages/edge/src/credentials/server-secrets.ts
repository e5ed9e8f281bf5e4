/** Thrown if a tool server cannot be reached because the edge lacks a credential for it. The message is for the client. */
export class CredentialMissing extends Error {
  override readonly name = 'CredentialMissing'
}

/** The names of the credentials of one server, by the header or the environment variable that they are for. */
export interface WantedCredentials {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

export interface SecretHeaders {
  readonly headers: Readonly<Record<string, string>>
  /** Discards the token in the headers, because the server refused it. Absent if they have no token that can be renewed. */
  readonly refuse?: (() => void) | undefined
}

/** The secrets of one tool server. They are in memory only. */
export interface ServerSecrets {
  /** Fetches what is missing. Returns why the server cannot be called, or null if nothing is missing. Never throws. */
  lacking(): Promise<string | null>
  /** Returns the headers with the secrets. @throws CredentialMissing */
  headers(): Promise<SecretHeaders>
  /** Returns the environment variables with the secrets that the edge has now. @throws CredentialMissing */
  env(): Readonly<Record<string, string>>
  /** Calls `listener` after a credential has changed or was lost. */
  onChange(listener: () => void): void
  /** Forgets the secrets. */
  close(): void
}

/** Gives servers their secrets. */
export interface CredentialSource {
  secretsFor(server: string, wanted: WantedCredentials): ServerSecrets
}
