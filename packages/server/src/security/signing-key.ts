import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'

/** An Ed25519 key that signs mission profiles and audit checkpoints. */
export interface SigningKey {
  /** First 16 hex digits of the SHA-256 of the public key's DER form. */
  kid: string
  publicKeyPem: string
  /** Base64 signature over the UTF-8 bytes of `text`. */
  sign(text: string): string
}

export function loadSigningKey(privateKeyPem: string): SigningKey {
  const privateKey = createPrivateKey(privateKeyPem)
  const publicKey = createPublicKey(privateKey)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return {
    kid: createHash('sha256').update(der).digest('hex').slice(0, 16),
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  }
}

export function newSigningKeyPem(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

export function signatureHolds(publicKeyPem: string, text: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(text), createPublicKey(publicKeyPem), Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
