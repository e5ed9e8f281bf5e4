/** Supplies a client's bearer token. Implement it to store tokens where you like. */
export interface Credential {
  /** The token to send. */
  token(): string | Promise<string>
  /**
   * Called after the service refused the token `refused` with 401. Returns a newer token for one retry, or undefined if there is
   * no newer token.
   */
  renew?(refused: string): Promise<string | undefined>
}

/** A credential from an API key (`mk_…`), or from any other token that does not change. @throws TypeError for an invalid key */
export function apiKey(key: string): Credential {
  // Checked here because `fetch` would reject the header with an error that contains the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('an API key must not contain white space or control characters')
  return { token: () => key }
}
