import { createHash, createPublicKey } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { canonicalJson } from '@mandate/proofs/canonical'
import { vouchesFor } from '@mandate/proofs/key-succession'
import { signatureHolds } from '@mandate/proofs/signature'
import { z } from 'zod'
import type { ControlPlane } from '../control-plane/control-plane.ts'
import type { StateSeal } from '../state/state-seal.ts'

const KeyList = z.object({
  keys: z
    .array(
      z.object({
        kid: z.string().optional(),
        public_key_pem: z.string(),
        successor: z.object({ kid: z.string(), signature: z.string() }).optional(),
      }),
    )
    .min(1)
    .max(100),
})

interface PublicKey {
  pem: string
  fingerprint: string
  /** The id that the control plane gives the key. The id is not verified, so nothing may depend on it. */
  kid?: string | undefined
  /** A signature over the next key, made with this key. */
  successor?: { kid: string; signature: string } | undefined
}

/** Thrown if the control plane uses no key that this edge trusts. */
export class KeyMistrusted extends Error {
  override readonly name = 'KeyMistrusted'
}

/** What signature verification needs. */
export type ProfileKeys = Pick<SigningKeys, 'signed' | 'explain'>

/**
 * Whether a trusted key signed a document that was received. A document without a canonical form cannot have a valid signature, so it counts as
 * not signed. @throws the errors of `ControlPlane`
 */
export function isSigned(keys: ProfileKeys, document: Record<string, unknown>): Promise<boolean> {
  return keys.signed(document).catch((error: unknown) => {
    if (error instanceof TypeError || error instanceof RangeError) return false
    throw error
  })
}

/** The trusted signing keys: the key that was pinned at the first contact with the control plane, and its successors. */
export class SigningKeys {
  private readonly file: string
  private readonly plane: ControlPlane
  private readonly wanted: string | undefined
  private readonly seal: StateSeal
  private pinned: readonly PublicKey[] = []

  private constructor(folder: string, plane: ControlPlane, wanted: string | undefined, seal: StateSeal) {
    this.file = seal.fileIn(folder, 'signing-keys')
    this.plane = plane
    this.wanted = wanted
    this.seal = seal
  }

  /**
   * Reads the pinned keys from a state folder, oldest first. Each later key was pinned because the key before it had signed
   * it. `wanted` is the SHA-256 of the oldest key to trust: keys before that key are dropped, its successors stay. If that key
   * is not pinned, no pinned key is trusted. If `wanted` is undefined, all pinned keys stay.
   */
  static async open(
    folder: string,
    plane: ControlPlane,
    wanted: string | undefined,
    seal: StateSeal,
  ): Promise<SigningKeys> {
    const keys = new SigningKeys(folder, plane, wanted, seal)
    const pinned = await keys.kept()
    keys.pinned = wanted === undefined ? pinned : startingWith(pinned, wanted)
    // Removes the dropped keys (the keys before `wanted`) from the file. If the write fails, for example because the disk is
    // full, the edge starts anyway. The next start drops these keys again.
    if (keys.pinned.length > 0 && keys.pinned.length < pinned.length) await keys.keep(keys.pinned).catch(() => {})
    return keys
  }

  /**
   * Whether a trusted key signed the document. If no key is pinned, fetches the keys from the control plane. If no pinned key
   * signed the document, fetches the successors of the pinned keys.
   */
  async signed(document: Record<string, unknown>): Promise<boolean> {
    if (this.pinned.length === 0) await this.pin()
    if (this.signedByKnown(document)) return true
    if (typeof document.signature !== 'string') return false
    await this.follow()
    return this.signedByKnown(document)
  }

  /** Whether a pinned key signed the document. Asks nobody. */
  signedByKnown({ signature, ...rest }: Record<string, unknown>): boolean {
    if (typeof signature !== 'string') return false
    const text = canonicalJson(rest)
    return this.pinned.some(({ pem }) => signatureHolds(pem, text, signature))
  }

  /**
   * Explains why a signature was rejected. Either the control plane now signs with a key that this edge does not trust, or the
   * signature itself is not valid.
   */
  async explain(): Promise<string> {
    const offered = (await this.served().catch(() => [])).filter(signsNow)
    if (offered.length === 0 || offered.some((key) => includes(this.pinned, key))) {
      return 'its signature is not valid'
    }
    return (
      `the control plane signs with another key than the one this edge trusts. If that is meant, start the edge with ` +
      `MANDATE_EDGE_SIGNING_KEY_SHA256=${offered[0]?.fingerprint}`
    )
  }

  private async kept(): Promise<PublicKey[]> {
    return readKeys(await this.seal.read(this.file, name))
  }

  private async keep(keys: readonly PublicKey[]): Promise<void> {
    await this.seal.replace(this.file, name, textOf(keys))
  }

  private async served(): Promise<PublicKey[]> {
    return readKeys((await this.plane.ask({ path: '/edge/signing-key' })).body)
  }

  private async pin(): Promise<void> {
    const { wanted } = this
    const offered = await this.served()
    const chosen = offered.find(wanted === undefined ? signsNow : (key) => key.fingerprint === wanted)
    if (!chosen) {
      const whose = offered.map((key) => key.fingerprint).join(', ') || 'none'
      throw new KeyMistrusted(`the control plane's signing key is not the configured one: it serves ${whose}`)
    }
    const text = this.seal.seal(name, textOf([chosen]))
    if (wanted !== undefined) await this.keep([chosen])
    else await writeFile(this.file, text, { flag: 'wx', mode: 0o600 }).catch(ignoreExisting)
    // If two edges pin a key at the same time, both use the key that was written first.
    this.pinned = await this.kept()
    if (this.pinned.length > 0) return
    await this.keep([chosen])
    this.pinned = [chosen]
  }

  /** Fetches the successors of the pinned keys and pins them. */
  private async follow(): Promise<void> {
    const offered = await this.served().catch(() => [])
    const successors = successorsOf(this.pinned, offered)
    if (successors.length === 0) return
    this.pinned = [...this.pinned, ...successors]
    // If the file cannot be written, for example because the disk is full, the new keys are used anyway, so that a new policy
    // is not delayed. After a restart the edge fetches the missing keys again.
    await this.keep(this.pinned).catch(() => {})
  }
}

const name = 'signing keys'

function readKeys(list: unknown): PublicKey[] {
  const keys = KeyList.safeParse(list).data?.keys ?? []
  return keys.flatMap(({ public_key_pem: pem, kid, successor }) => {
    const print = fingerprint(pem)
    return print === null ? [] : { pem, fingerprint: print, kid, successor }
  })
}

const textOf = (keys: readonly PublicKey[]) =>
  JSON.stringify({ keys: keys.map(({ pem }) => ({ public_key_pem: pem })) })

const signsNow = ({ successor }: PublicKey) => successor === undefined
const includes = (keys: readonly PublicKey[], key: PublicKey) =>
  keys.some((other) => other.fingerprint === key.fingerprint)

function startingWith(keys: readonly PublicKey[], wanted: string): PublicKey[] {
  const at = keys.findIndex((key) => key.fingerprint === wanted)
  return at < 0 ? [] : keys.slice(at)
}

/** The successors of the last pinned key. Each one is signed by the key before it. */
function successorsOf(pinned: readonly PublicKey[], offered: readonly PublicKey[]): PublicKey[] {
  const line = [...pinned]
  for (let next = successorOf(line, offered); next; next = successorOf(line, offered)) line.push(next)
  return line.slice(pinned.length)
}

function successorOf(line: readonly PublicKey[], offered: readonly PublicKey[]): PublicKey | undefined {
  const last = line.at(-1)
  const successor = offered.find((key) => key.fingerprint === last?.fingerprint)?.successor
  const next = successor && offered.find(({ kid }) => kid === successor.kid)
  if (!last || !next || includes(line, next)) return undefined
  return vouchesFor(last.pem, next.pem, successor.signature) ? next : undefined
}

/** SHA-256 of the DER form of a public key, in hex. Null if it is not an Ed25519 key. */
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
