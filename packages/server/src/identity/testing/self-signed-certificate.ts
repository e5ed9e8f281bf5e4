import { generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto'

/**
 * Creates an RSA key and a self-signed X.509 certificate for it, valid for a day, both as PEM. The certificate always says that
 * its signature is of RSA, even if `keys` are of another type.
 */
export function createSelfSignedCertificate(
  commonName: string,
  keys: KeyPairKeyObjectResult = generateKeyPairSync('rsa', { modulusLength: 2048 }),
): { privateKey: string; certificate: string } {
  const { privateKey, publicKey } = keys
  const sha256WithRsa = der(0x30, oid('2a864886f70d01010b'), der(0x05))
  const name = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(commonName)))))
  const hourMs = 3_600_000
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    sha256WithRsa,
    name,
    der(0x30, utcTime(Date.now() - hourMs), utcTime(Date.now() + 24 * hourMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = sign('sha256', body, privateKey)
  const certificate = der(0x30, body, sha256WithRsa, der(0x03, Buffer.from([0]), signature))
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}
