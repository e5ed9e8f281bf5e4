import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 as hashOf } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Sha256 } from './node.ts'

// The functions of `node.ts` for browsers. The cryptography of browsers is asynchronous, and absent from pages without https,
// so a library does it. Keys are Ed25519 keys, as the server publishes them.

const utf8 = new TextEncoder()

export function startSha256(): Sha256 {
  const hash = hashOf.create()
  const started: Sha256 = {
    update(part) {
      hash.update(utf8.encode(part))
      return started
    },
    digest: () => bytesToHex(hash.digest()),
  }
  return started
}

export const sha256 = (data: string | Uint8Array): string =>
  bytesToHex(hashOf(typeof data === 'string' ? utf8.encode(data) : data))

export const bytesOfHex = (hex: string): Uint8Array => hexToBytes(hex)

const bytesOfBase64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

/** What stands before the 32 bytes of an Ed25519 key in its DER form: the sequence, the algorithm, and the string of bits. */
const prefix = '302a300506032b6570032100'
const pemPattern = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/

export function derOf(publicKeyPem: string): Uint8Array {
  const [, base64 = ''] = pemPattern.exec(publicKeyPem) ?? []
  const der = bytesOfBase64(base64)
  if (der.length !== 44 || bytesToHex(der.subarray(0, 12)) !== prefix)
    throw new TypeError('this is not an Ed25519 public key')
  return der
}

export const normalPem = (publicKeyPem: string): string =>
  `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...derOf(publicKeyPem)))}\n-----END PUBLIC KEY-----\n`

export const isSigned = (publicKeyPem: string, text: string, signature: string): boolean =>
  // Node applies the rules of RFC 8032 too.
  ed25519.verify(bytesOfBase64(signature), utf8.encode(text), derOf(publicKeyPem).subarray(12), { zip215: false })
