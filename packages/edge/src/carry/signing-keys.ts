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

/** The public keys whose signature makes a profile count. */
export interface SigningKeys {
  /**
   * Whether one of the keys trusted signed this. Asks the control plane for its keys where none is pinned yet, and for those that
   * followed where none of the pinned ones did.
   */
  signed(document: Record<string, unknown>): Promise<boolean>
  /** Why a signature did not hold: another key, or none that is known. */
  explain(): Promise<string>
}

/**
 * The keys in a state folder: the one pinned the first time it was met, and those after it, each vouched for by the one before.
 * `wanted` is the SHA-256 of the one key to trust, and replaces what is pinned; what followed that key stays.
 */
export async function openSigningKeys(
  folder: string,
  plane: ControlPlane,
  wanted: string | undefined,
  seal: StateSeal,
): Promise<SigningKeys> {
  const file = seal.fileIn(folder, 'signing-keys')
  const kept = async () => readKeys(await seal.read(file, name))
  const keep = (keys: readonly PublicKey[]) => seal.replace(file, name, textOf(keys))
  let pinned = await kept()
  if (wanted !== undefined) {
    const trusted = startingWith(pinned, wanted)
    // A full disk must not keep the edge from starting: what is left out counts no more, and is left out again after a restart.
    if (trusted.length > 0 && trusted.length < pinned.length) await keep(trusted).catch(() => {})
    pinned = trusted
  }

  async function served(): Promise<PublicKey[]> {
    return readKeys((await plane.ask({ path: '/edge/signing-key' })).body)
  }

  async function pin(): Promise<void> {
    const offered = await served()
    const chosen = offered.find(wanted === undefined ? signsNow : (key) => key.fingerprint === wanted)
    if (!chosen) {
      const whose = offered.map((key) => key.fingerprint).join(', ') || 'none'
      throw new KeyMistrusted(`the control plane's signing key is not the one told: it serves ${whose}`)
    }
    const text = seal.seal(name, textOf([chosen]))
    if (wanted !== undefined) await keep([chosen])
    else await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch(ignoreExisting)
    // Of two edges that meet the control plane first at once, both keep what the first one wrote.
    pinned = await kept()
    if (pinned.length > 0) return
    await keep([chosen])
    pinned = [chosen]
  }

  /** Takes up the keys that have followed those that are pinned. */
  async function follow(): Promise<void> {
    const offered = await served().catch(() => [])
    const successors = successorsOf(pinned, offered)
    if (successors.length === 0) return
    pinned = [...pinned, ...successors]
    // A full disk must not keep a newer policy from its effect; after a restart, what is not there is followed again.
    await keep(pinned).catch(() => {})
  }

  return {
    async signed({ signature, ...rest }) {
      if (pinned.length === 0) await pin()
      if (typeof signature !== 'string') return false
      const text = canonicalJson(rest)
      const holds = () => pinned.some(({ pem }) => signatureHolds(pem, text, signature))
      if (holds()) return true
      await follow()
      return holds()
    },
    async explain() {
      const offered = (await served().catch(() => [])).filter(signsNow)
      if (offered.length === 0 || offered.some((key) => includes(pinned, key))) {
        return 'its signature does not hold'
      }
      return (
        `the control plane signs with another key than the one this edge trusts. If that is meant, start the edge with ` +
        `MANDATE_EDGE_SIGNING_KEY_SHA256=${offered[0]?.fingerprint}`
      )
    },
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
