/** Where a client's bearer token comes from. Implement it to keep tokens where you like. */
export interface Credential {
  /** The token to send. */
  token(): string | Promise<string>
  /**
   * Called when the service refused `refused` with 401: a newer token, with which the call is made once more, or
   * undefined where there is none.
   */
  renew?(refused: string): Promise<string | undefined>
}

/** An API key (`mk_…`), or any other token that lasts as long as the client. */
export function apiKey(key: string): Credential {
  // A line break would make the header, and so the key, part of an error's text.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('an API key holds no white space and no control characters')
  return { token: () => key }
}
