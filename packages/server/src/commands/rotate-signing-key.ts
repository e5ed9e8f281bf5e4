import { join } from 'node:path'
import { readStored, replaceStored } from '../boot/secrets.ts'
import { readOperatorConfig } from '../config.ts'
import { loadSigningKey, type SigningKeyText, succeedSigningKey } from '../security/signing-key.ts'

export interface RotatedSigningKey {
  kid: string
  previous_kid: string
  /**
   * The file `secrets.json`, in which the new key has replaced the old key. Undefined if the keys are in environment variables.
   */
  file?: string
  /** The values that the operator must set in these environment variables. Undefined if the keys are in `secrets.json`. */
  settings?: { MANDATE_SIGNING_KEY: string; MANDATE_SIGNING_KEY_PREVIOUS: string }
}

/**
 * Creates a new signing key, signed by the current key. The server uses the new key from its next start. If the current key is
 * in the data folder, the new key replaces it there. If the current key comes from an environment variable, the operator must
 * set the returned `settings`.
 */
export async function rotateSigningKey(): Promise<RotatedSigningKey> {
  const { databaseUrl, dataDir, secrets } = readOperatorConfig()
  const { signingKey, previousSigningKeys } = secrets
  if (signingKey) {
    const next = succeedSigningKey({ signingKey, previousSigningKeys })
    return { ...idsOf(next), settings: settingsOf(next) }
  }
  if (databaseUrl) {
    throw new Error(
      'set MANDATE_SIGNING_KEY (and MANDATE_SIGNING_KEY_PREVIOUS, if used) to the same values as on the server',
    )
  }
  const stored = await readStored(dataDir)
  const file = join(dataDir, 'secrets.json')
  if (!stored) throw new Error(`${file} does not exist; set DATA_DIR, or MANDATE_SIGNING_KEY`)
  const next = succeedSigningKey(stored)
  await replaceStored(dataDir, { ...stored, ...next })
  return { ...idsOf(next), file }
}

function idsOf(next: SigningKeyText) {
  const { kid, previous } = loadSigningKey(next)
  return { kid, previous_kid: previous[0]?.kid ?? '' }
}

function settingsOf({ signingKey, previousSigningKeys }: SigningKeyText) {
  return { MANDATE_SIGNING_KEY: signingKey, MANDATE_SIGNING_KEY_PREVIOUS: previousSigningKeys.join() }
}
