import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readBase64url } from '../text/read-base64url.ts'
import type { Vault } from './port.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1.'

/**
 * Encrypts with AES-256-GCM and a key of 32 bytes. The context is authenticated but not stored. `key` encrypts and decrypts.
 * `previousKeys` only decrypt, which allows the key to be changed. `open` throws if the text is damaged, the key is unknown, or
 * the context differs.
 */
export function createVault(key: Uint8Array, previousKeys: readonly Uint8Array[] = []): Vault {
  const keys = [key, ...previousKeys]
  for (const each of keys) if (each.length !== 32) throw new Error(`a vault key is 32 bytes, not ${each.length}`)
  return {
    seal(plaintext, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return VERSION + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(sealed, context) {
      if (!sealed.startsWith(VERSION)) throw new Error(`cannot decrypt the text: encrypted text starts with ${VERSION}`)
      const bytes = readBase64url(sealed.slice(VERSION.length))
      let failure: unknown
      for (const each of keys) {
        try {
          return openUnder(each, bytes, context)
        } catch (error) {
          failure = error
        }
      }
      throw failure
    },
  }
}

/** Like `createVault`, for keys of 64 hexadecimal digits. */
export function vaultOf(key: string, previousKeys: readonly string[]): Vault {
  const bytesOf = (hex: string) => Buffer.from(hex, 'hex')
  return createVault(bytesOf(key), previousKeys.map(bytesOf))
}

function openUnder(key: Uint8Array, bytes: Buffer, context: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}
