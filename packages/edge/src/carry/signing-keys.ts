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
  /** As the control plane names it; proves nothing. */
  kid?: string | undefined
  /** The word of this key for the one after it. */
  successor?: { kid: string; signature: string } | undefined
}

/** The control plane's keys are not the ones this edge trusts. */
export class KeyMistrusted extends Error {
  override readonly name = 'KeyMistrusted'
}

/** What the check of a profile needs. */
export type ProfileKeys = Pick<SigningKeys, 'signed' | 'explain'>

/** The public keys whose signature makes a profile count: the one pinned the first time it was met, and those after it. */
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
   * The keys in a state folder, each vouched for by the one before.
   * `wanted` is the SHA-256 of the one key to trust, and replaces what is pinned; what followed that key stays.
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
    // A full disk must not keep the edge from starting: what is left out counts no more, and is left out again after a restart.
    if (keys.pinned.length > 0 && keys.pinned.length < pinned.length) await keys.keep(keys.pinned).catch(() => {})
    return keys
  }

  /**
   * Whether one of the keys trusted signed this. Asks the control plane for its keys where none is pinned yet, and for those that
   * followed where none of the pinned ones did.
   */
  async signed({ signature, ...rest }: Record<string, unknown>): Promise<boolean> {
    if (this.pinned.length === 0) await this.pin()
    if (typeof signature !== 'string') return false
    const text = canonicalJson(rest)
    const holds = () => this.pinned.some(({ pem }) => signatureHolds(pem, text, signature))
    if (holds()) return true
    await this.follow()
    return holds()
  }

  /** Why a signature did not hold: another key, or none that is known. */
  async explain(): Promise<string> {
    const offered = (await this.served().catch(() => [])).filter(signsNow)
    if (offered.length === 0 || offered.some((key) => includes(this.pinned, key))) {
      return 'its signature does not hold'
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
      throw new KeyMistrusted(`the control plane's signing key is not the one told: it serves ${whose}`)
    }
    const text = this.seal.seal(name, textOf([chosen]))
    if (wanted !== undefined) await this.keep([chosen])
    else await writeFile(this.file, text, { flag: 'wx', mode: 0o600 }).catch(ignoreExisting)
    // Of two edges that meet the control plane first at once, both keep what the first one wrote.
    this.pinned = await this.kept()
    if (this.pinned.length > 0) return
    await this.keep([chosen])
    this.pinned = [chosen]
  }

  /** Takes up the keys that have followed those that are pinned. */
  private async follow(): Promise<void> {
    const offered = await this.served().catch(() => [])
    const successors = successorsOf(this.pinned, offered)
    if (successors.length === 0) return
    this.pinned = [...this.pinned, ...successors]
    // A full disk must not keep a newer policy from its effect; after a restart, what is not there is followed again.
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

/** The keys that come after the last one pinned, each by the word of the one before it. */
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
