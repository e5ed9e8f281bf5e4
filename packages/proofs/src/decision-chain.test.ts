import { createHash, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { keyId } from './audit-chain.ts'
import {
  chainHash,
  edgeKeyAttestationBody,
  firstPrev,
  readEdgeKey,
  recordDigest,
  signBatch,
  verifyBatch,
} from './decision-chain.ts'

function newKey(type: 'ed25519' | 'x25519' = 'ed25519') {
  const pair = type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519')
  return {
    privateKey: pair.privateKey,
    privatePem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    pem: pair.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  }
}

const key = newKey()
/** The same bytes in base64, with another of the bits that no byte uses. */
const otherText = (signature: string) =>
  signature.replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`)
const record = { decision_id: '01900000-0000-7000-8000-000000000001', tool: 'mcp:a/b', policy_version: null, n: 1 }

describe('the digest of a record', () => {
  it('is SHA-256 over the RFC 8785 form', () => {
    const text = '{"decision_id":"01900000-0000-7000-8000-000000000001","n":1,"policy_version":null,"tool":"mcp:a/b"}'
    expect(recordDigest(record)).toBe(createHash('sha256').update(text).digest('hex'))
  })

  it('does not depend on seq, prev, the order of keys, or a trip through JSON', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.jsonValue({ noUnicodeString: false })),
        fc.integer({ min: 1 }),
        (given, seq) => {
          const { seq: _seq, prev: _prev, ...plain } = given
          const sent = Object.fromEntries(Object.entries({ ...plain, seq, prev: firstPrev }).reverse())
          expect(recordDigest(JSON.parse(JSON.stringify(sent)))).toBe(recordDigest(plain))
        },
      ),
    )
  })

  it.each([
    { ...record, tool: 'mcp:a/c' },
    { ...record, policy_version: undefined },
    { ...record, more: null },
  ])('changes with each field: %j', (changed) => {
    expect(recordDigest(changed)).not.toBe(recordDigest(record))
  })

  it('does not exist for a record that JSON cannot represent', () => {
    expect(() => recordDigest({ tool: '\ud800' })).toThrow()
  })
})

describe('the chain hash', () => {
  const digest = recordDigest(record)

  it('is SHA-256 over prev as 32 bytes, seq as 8 bytes big-endian, and the digest', () => {
    const bytes = Buffer.concat([Buffer.alloc(32), Buffer.from('0000000100000002', 'hex'), Buffer.from(digest, 'hex')])
    const expected = createHash('sha256').update(bytes).digest('hex')
    expect(chainHash({ prev: firstPrev, seq: 2 ** 32 + 2, digest })).toBe(expected)
  })

  it.each([
    ['a short prev', { prev: '00', seq: 1, digest }],
    ['a prev that is not hexadecimal', { prev: 'g'.repeat(64), seq: 1, digest }],
    ['a prev in upper case', { prev: 'A'.repeat(64), seq: 1, digest }],
    ['a prev with a newline', { prev: `${firstPrev}\n`, seq: 1, digest }],
    ['a short digest', { prev: firstPrev, seq: 1, digest: digest.slice(2) }],
    ['seq 0', { prev: firstPrev, seq: 0, digest }],
    ['a negative seq', { prev: firstPrev, seq: -1, digest }],
    ['a fraction', { prev: firstPrev, seq: 1.5, digest }],
    ['a seq above the exact integers', { prev: firstPrev, seq: 2 ** 53, digest }],
  ])('rejects %s', (_, given) => {
    expect(() => chainHash(given)).toThrow(TypeError)
  })
})

describe('the signature of a batch', () => {
  const hash = chainHash({ prev: firstPrev, seq: 1, digest: recordDigest(record) })
  const signature = signBatch(key.privateKey, hash)

  it('is valid for the hash of its last record', () => {
    expect(verifyBatch(key.pem, hash, signature)).toBe(true)
    expect(signBatch(key.privatePem, hash)).toBe(signature)
  })

  test.each([
    ['another hash', key.pem, firstPrev, signature],
    ['another key', newKey().pem, hash, signature],
    ['a key of another kind', newKey('x25519').pem, hash, signature],
    ['a text that is not a key', 'nonsense', hash, signature],
    ['a text that is not a hash', key.pem, `${hash}00`, signature],
    ['an empty signature', key.pem, hash, ''],
    ['a signature with more characters', key.pem, hash, `${signature} `],
    ['another text for the bytes of a signature', key.pem, hash, otherText(signature)],
    ['a signature in base64url', key.pem, hash, Buffer.from(signature, 'base64').toString('base64url')],
  ])('is invalid for %s', (_, pem, of, given) => {
    expect(verifyBatch(pem, of, given)).toBe(false)
  })

  it('is not made over a text that is not a hash', () => {
    expect(() => signBatch(key.privateKey, 'abc')).toThrow(TypeError)
  })
})

describe('the key of an edge', () => {
  it('is attested with its tenant, edge, id and public half', () => {
    const attested = { tenant_id: 't', edge_id: null, kid: 'k', public_key_pem: key.pem }
    expect(edgeKeyAttestationBody(attested)).toEqual({ purpose: 'edge_key', ...attested })
    expect(edgeKeyAttestationBody({ ...attested, more: 1 } as typeof attested)).not.toHaveProperty('more')
  })

  it('is read in any PEM formatting', () => {
    const expected = { kid: keyId(key.pem), public_key_pem: key.pem }
    expect(readEdgeKey(key.pem)).toEqual(expected)
    expect(readEdgeKey(`\n${key.pem.replaceAll('\n', '\r\n')}\n`)).toEqual(expected)
  })

  it.each([
    ['a key of another kind', newKey('x25519').pem],
    ['a private key', key.privatePem],
    ['any other text', 'nonsense'],
    ['an empty text', ''],
  ])('is not %s', (_, pem) => {
    expect(readEdgeKey(pem)).toBeNull()
  })
})
