import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { SigningKeys } from '@mandate/contract/edge'
import { type CheckpointKeys, keyId } from '@mandate/proofs/audit-chain'
import { successionText, vouchesFor } from '@mandate/proofs/key-succession'

/** An Ed25519 key that signs mission profiles and audit checkpoints. */
export interface SigningKey {
  /** First 16 hex digits of the SHA-256 of the public key's DER form. */
  kid: string
  publicKeyPem: string
  /** Base64 signature over the UTF-8 bytes of `text`. */
  sign(text: string): string
  /** Previous signing keys, newest first. */
  previous: readonly PreviousKey[]
  /** The public keys that verify signatures, newest first: the current key and the previous keys. */
  verifying: CheckpointKeys
}

/**
 * A key that no longer signs. Two things are kept: its public key, and its signature for its successor (the next newer key).
 */
export interface PreviousKey {
  kid: string
  publicKeyPem: string
  successor: { kid: string; signature: string }
}

/** A signing key and its previous keys, in the form in which they are stored. */
export interface SigningKeyText {
  /** The private key as PKCS #8 PEM, Ed25519. */
  signingKey: string
  /**
   * Previous keys, newest first. Each text is `<public key>.<signature>`, with 32 and 64 bytes in base64url. The signature was
   * made with the private key that belongs to this public key. The signed text is the `successionText` of this key and the next
   * newer key.
   */
  previousSigningKeys: readonly string[]
}

/** Loads the keys. Throws if a previous key has not signed its successor (the next newer key). */
export function loadSigningKey({ signingKey, previousSigningKeys }: SigningKeyText): SigningKey {
  const privateKey = createPrivateKey(signingKey)
  const publicKeyPem = pemOf(createPublicKey(privateKey))
  const kid = keyId(publicKeyPem)
  const previous = readPrevious(publicKeyPem, previousSigningKeys)
  return {
    kid,
    publicKeyPem,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
    previous,
    verifying: new Map([{ kid, publicKeyPem }, ...previous].map((key) => [key.kid, key.publicKeyPem])),
  }
}

export function newSigningKeyPem(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** Creates a new signing key that the current key signs. The current private key is not kept. */
export function succeedSigningKey(current: SigningKeyText): SigningKeyText {
  const { publicKeyPem, sign: vouch } = loadSigningKey(current)
  const signingKey = newSigningKeyPem()
  const signature = vouch(successionText(publicKeyPem, pemOf(createPublicKey(signingKey))))
  const { x } = createPublicKey(publicKeyPem).export({ format: 'jwk' })
  const previous = `${x}.${Buffer.from(signature, 'base64').toString('base64url')}`
  return { signingKey, previousSigningKeys: [previous, ...current.previousSigningKeys] }
}

/** The public keys as they are published, the current one first. */
export function publishedKeys({ kid, publicKeyPem, previous }: SigningKey): SigningKeys {
  const keys = previous.map((key) => ({ kid: key.kid, public_key_pem: key.publicKeyPem, successor: key.successor }))
  return { keys: [{ kid, public_key_pem: publicKeyPem }, ...keys] }
}

function readPrevious(publicKeyPem: string, texts: readonly string[]): PreviousKey[] {
  let next = publicKeyPem
  return texts.map((text) => {
    const [x = '', word = ''] = text.split('.')
    const previous = pemOf(createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } }))
    const signature = Buffer.from(word, 'base64url').toString('base64')
    if (!vouchesFor(previous, next, signature)) {
      throw new Error(
        'a previous signing key has no valid signature for the next newer key: one is missing, or the order is wrong',
      )
    }
    const successor = { kid: keyId(next), signature }
    next = previous
    return { kid: keyId(previous), publicKeyPem: previous, successor }
  })
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }) as string
}
