import type { Credential } from '@mandate/sdk/credential'
import type { StoredSession } from './session-file.ts'

const earlyMs = 30_000

/** A credential from the stored session of a control plane. */
export function storedCredential(configDir: string, url: string, stored: StoredSession): Credential {
  let current = stored
  const replace = async (refused: string) => {
    // Loaded only here, because most commands find a token that is still valid.
    const { refreshSession } = await import('./refresh-session.ts')
    current = await refreshSession(configDir, url, refused)
    return current.access_token
  }
  return {
    token: () => (Date.now() < current.expires_at - earlyMs ? current.access_token : replace(current.access_token)),
    renew: replace,
  }
}
