import { createHash, createPublicKey, verify } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '@mandate/policy/canonical'
import { z } from 'zod'
import type { ControlPlane } from '../control-plane/control-plane.ts'
import { readJsonFile, replaceFile } from '../state/private-files.ts'

const KeyList = z.object({
  keys: z
    .array(z.object({ public_key_pem: z.string() }))
    .min(1)
    .max(20),
})

/** The control plane's keys are not the ones this edge trusts. */
export class KeyMistrusted extends Error {
  override readonly name = 'KeyMistrusted'
}

/** The public keys whose signature makes a profile count. */
export interface SigningKeys {
  /** Whether one of the keys trusted signed this. Asks the control plane for its keys only where none is pinned yet. */
  signed(document: Record<string, unknown>): Promise<boolean>
  /** Why a signature did not hold: another key, or none that is known. */
  explain(): Promise<string>
}

/**
 * The keys in a state folder, pinned the first time they are met. `wanted` is the SHA-256 of the one key to trust, and
 * replaces what is pinned.
 */
export async function openSigningKeys(
  folder: string,
  plane: ControlPlane,
  wanted: string | undefined,
): Promise<SigningKeys> {
  const file = join(folder, 'signing-keys.json')
  let pinned = KeyList.safeParse(await readJsonFile(file)).data?.keys.map((key) => key.public_key_pem) ?? []
  if (wanted !== undefined) pinned = pinned.filter((pem) => fingerprint(pem) === wanted)

  async function served(): Promise<string[]> {
    const { body } = await plane.ask({ path: '/edge/signing-key' })
    const { data } = KeyList.safeParse(body)
    return data?.keys.map((key) => key.public_key_pem).filter((pem) => fingerprint(pem) !== null) ?? []
  }

  async function pin(): Promise<void> {
    const offered = await served()
    const chosen = wanted === undefined ? offered : offered.filter((pem) => fingerprint(pem) === wanted)
    if (chosen.length === 0) {
      const whose = offered.map(fingerprint).join(', ') || 'none'
      throw new KeyMistrusted(`the control plane's signing key is not the one told: it serves ${whose}`)
    }
    const text = JSON.stringify({ keys: chosen.map((public_key_pem) => ({ public_key_pem })) })
    if (wanted !== undefined) await replaceFile(file, text)
    else await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch(ignoreExisting)
    // Of two edges that meet the control plane first at once, both keep what the first one wrote.
    pinned = KeyList.parse(await readJsonFile(file)).keys.map((key) => key.public_key_pem)
  }

  return {
    async signed({ signature, ...rest }) {
      if (pinned.length === 0) await pin()
      if (typeof signature !== 'string') return false
      const text = Buffer.from(canonicalJson(rest))
      return pinned.some((pem) => verify(null, text, createPublicKey(pem), Buffer.from(signature, 'base64')))
    },
    async explain() {
      const offered = (await served().catch(() => [])).map(fingerprint)
      if (offered.length === 0 || offered.some((one) => pinned.some((pem) => fingerprint(pem) === one))) {
        return 'its signature does not hold'
      }
      return (
        `the control plane signs with another key than the one this edge trusts. If that is meant, start the edge with ` +
        `MANDATE_EDGE_SIGNING_KEY_SHA256=${offered[0]}`
      )
    },
  }
}

/** SHA-256 of a public key's DER form, in hex; null for what is no Ed25519 key. */
export function fingerprint(pem: string): string | null {
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType !== 'ed25519') return null
    return createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('hex')
  } catch {
    return null
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
