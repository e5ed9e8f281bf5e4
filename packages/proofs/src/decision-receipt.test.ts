import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { DecisionReceipt } from '@mandate/contract/decisions'
import { describe, expect, it } from 'vitest'
import { keyId } from './audit-chain.ts'
import { canonicalJson } from './canonical.ts'
import { chainHash, edgeKeyAttestationBody, firstPrev, recordDigest, signBatch } from './decision-chain.ts'
import { type ReceiptOptions, verifyReceipt, verifyReceiptText } from './decision-receipt.ts'

interface Pair {
  pem: string
  privateKey: KeyObject
}

function newPair(): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { pem: publicKey.export({ type: 'spki', format: 'pem' }) as string, privateKey }
}

const [plane, otherPlane, edge, otherEdge] = [newPair(), newPair(), newPair(), newPair()]
const id = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`
const [tenantId, otherTenant, edgeId] = [id(1), id(2), id(3)]
const policy = { id: id(4), version: 3, content_hash: 'ab'.repeat(32) }

function recordOf(n: number) {
  return {
    decision_id: id(100 + n),
    agent_id: id(5),
    tool: 'mcp:files/delete',
    effect: 'deny' as const,
    mode: 'enforce' as const,
    rule_id: id(6),
    policy_id: policy.id,
    policy_version: policy.version,
    policy_hash: policy.content_hash,
    args_digest: 'cd'.repeat(32),
    at: '2026-01-01T00:00:00.000Z',
    on_behalf_of: 'Ada',
    content: [{ pattern_id: id(7), on: 'arguments' as const, count: 2, action: 'flag' as const }],
    chain: [{ type: 'user', id: 'u1', name: 'Ada' }],
  }
}

function attest(by: Pair, of: Pair, tenant_id = tenantId, edge_id: string | null = edgeId) {
  const kid = keyId(of.pem)
  const body = edgeKeyAttestationBody({ tenant_id, edge_id, kid, public_key_pem: of.pem })
  const attestation = sign(null, Buffer.from(canonicalJson(body)), by.privateKey).toString('base64')
  return { kid, public_key_pem: of.pem, edge_id, attestation }
}

type Link = DecisionReceipt['links'][number]

/** Computes the hashes of the links again, with other digests for some links. Signatures stay unchanged. */
function rehash({ start, links }: DecisionReceipt, digests: ReadonlyMap<number, string>): Link[] {
  let prev = start.hash
  return links.map((link) => {
    const digest = digests.get(link.seq) ?? link.digest
    const hash = chainHash({ prev, seq: link.seq, digest })
    prev = hash
    return { ...link, digest, hash }
  })
}

/** The chain has the records 1 to 8 in batches of two. The anchors are at 2 and at 8, and the receipt is for 5. */
function receiptOf(by: Pair): DecisionReceipt {
  const all: (Link & { prev: string })[] = []
  let prev = firstPrev
  for (let seq = 1; seq <= 8; seq++) {
    const digest = recordDigest(recordOf(seq))
    const hash = chainHash({ prev, seq, digest })
    all.push({ seq, digest, hash, prev, ...(seq % 2 === 0 && { signature: signBatch(by.privateKey, hash) }) })
    prev = hash
  }
  const at = (seq: number) => all[seq - 1]!
  return {
    format: 'mandate decision receipt',
    tenant_id: tenantId,
    key: attest(plane, by),
    record: { ...recordOf(5), seq: 5, prev: at(5).prev },
    policy,
    previous_anchor: { seq: 2, hash: at(2).hash, entry_id: id(8) },
    next_anchor: { seq: 8, hash: at(8).hash, entry_id: id(9) },
    start: { seq: 2, hash: at(2).hash },
    links: all.slice(2).map(({ prev: _, ...link }) => link),
  }
}

const receipt = receiptOf(edge)
const otherReceipt = receiptOf(otherEdge)
const verify = (sent: unknown, options: ReceiptOptions = {}) => verifyReceipt(sent, [plane.pem], options)

type Change = (given: DecisionReceipt) => unknown
interface Tampering {
  title: string
  change: Change
  /** Changes the JSON text. */
  write?: (json: string) => string
  options?: ReceiptOptions
}

const ofRecord =
  (fields: object): Change =>
  (given) => ({ ...given, record: { ...given.record, ...fields } })
const ofKey =
  (fields: object): Change =>
  (given) => ({ ...given, key: { ...given.key, ...fields } })
const ofLink =
  (seq: number, fields: object): Change =>
  (given) => ({ ...given, links: given.links.map((link) => (link.seq === seq ? { ...link, ...fields } : link)) })
const without = (seq: number): Change => {
  return (given) => ({ ...given, links: given.links.filter((link) => link.seq !== seq) })
}
/** Writes a member before the member `"effect":"deny"` of the record. */
const beforeEffect = (member: string) => (json: string) => json.replace('"effect":"deny"', `${member},$&`)
/** The same bytes in base64, with another of the bits that no byte uses. */
const otherText = (signature: string) =>
  signature.replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`)
const linkOf = (given: DecisionReceipt, seq: number) => given.links.find((link) => link.seq === seq)!

const zeros = '0'.repeat(64)
const changedRecord = { ...receipt.record, tool: 'mcp:files/read' }

const tamperings: Tampering[] = [
  { title: 'nothing', change: (given) => given },
  { title: 'the fields are in another order', change: (given) => Object.fromEntries(Object.entries(given).reverse()) },
  ...(
    [
      ['decision_id', id(99)],
      ['agent_id', id(99)],
      ['tool', 'mcp:files/read'],
      ['effect', 'allow'],
      ['mode', 'monitor'],
      ['rule_id', id(99)],
      ['policy_id', id(99)],
      ['policy_version', 2],
      ['policy_hash', 'ef'.repeat(32)],
      ['args_digest', ''],
      ['at', '2026-01-01T00:00:00.001Z'],
      ['on_behalf_of', 'Bob'],
    ] as const
  ).map(([field, value]) => ({ title: `\`${field}\` of the record is changed`, change: ofRecord({ [field]: value }) })),
  {
    title: 'the time of the record is written with another offset',
    change: ofRecord({ at: '2026-01-01T01:00:00.000+01:00' }),
  },
  { title: 'a field of the record is removed', change: ofRecord({ on_behalf_of: undefined }) },
  { title: 'a field is added to the record', change: ofRecord({ session_id: 's' }) },
  { title: 'an unknown field is added to the record', change: ofRecord({ note: 'x' }) },
  {
    title: 'a field inside a field of the record is changed',
    change: ofRecord({ content: [{ ...receipt.record.content![0], count: 3 }] }),
  },
  {
    title: 'a step is added to the delegation of the record',
    change: ofRecord({ chain: [...receipt.record.chain!, receipt.record.chain![0]] }),
  },
  { title: '`seq` of the record is changed', change: ofRecord({ seq: 4 }) },
  { title: '`seq` of the record is a number without a link', change: ofRecord({ seq: 9 }) },
  { title: '`seq` of the record is removed', change: ofRecord({ seq: undefined }) },
  { title: '`prev` of the record is changed', change: ofRecord({ prev: zeros }) },
  {
    title: 'the record is replaced by another record of the chain',
    change: (given) => ({ ...given, record: { ...recordOf(6), seq: 5, prev: given.record.prev } }),
  },
  {
    title: 'the record is changed, and the digest of its link too',
    change: (given) => ofLink(5, { digest: recordDigest(changedRecord) })({ ...given, record: changedRecord }),
  },
  {
    title: 'the record is changed, and all hashes from it on are computed again',
    change: (given) => {
      const links = rehash(given, new Map([[5, recordDigest(changedRecord)]]))
      return { ...given, record: changedRecord, links }
    },
  },
  {
    title: 'the record is changed, all hashes are computed again, and another key signs them',
    change: (given) => {
      const links = rehash(given, new Map([[5, recordDigest(changedRecord)]])).map((link) => {
        return link.signature ? { ...link, signature: signBatch(otherEdge.privateKey, link.hash) } : link
      })
      return { ...given, record: changedRecord, links }
    },
  },
  {
    title: 'everything is signed by another key, which the control plane did not attest',
    change: () => ({ ...otherReceipt, key: attest(otherPlane, otherEdge) }),
  },
  { title: 'the key is replaced by another attested key', change: ofKey(attest(plane, otherEdge)) },
  { title: 'the public key is replaced', change: ofKey({ public_key_pem: otherEdge.pem }) },
  { title: 'the public key is not a key', change: ofKey({ public_key_pem: 'x' }) },
  { title: 'the id of the key is changed', change: ofKey({ kid: keyId(otherEdge.pem) }) },
  { title: 'the edge of the key is changed', change: ofKey({ edge_id: id(99) }) },
  { title: 'the edge of the key is removed', change: ofKey({ edge_id: null }) },
  { title: 'the attestation is made by another control plane', change: ofKey(attest(otherPlane, edge)) },
  {
    title: 'the attestation is the one of another key',
    change: ofKey({ attestation: attest(plane, otherEdge).attestation }),
  },
  { title: 'the attestation is made for another organization', change: ofKey(attest(plane, edge, otherTenant)) },
  { title: 'the attestation is empty', change: ofKey({ attestation: '' }) },
  {
    title: 'the attestation is another text for the same bytes',
    change: (given) => ofKey({ attestation: otherText(given.key.attestation) })(given),
  },
  { title: 'the organization is changed', change: (given) => ({ ...given, tenant_id: otherTenant }) },
  {
    title: 'the receipt of another organization is given',
    change: (given) => ({ ...given, tenant_id: otherTenant, key: attest(plane, edge, otherTenant) }),
    options: { tenantId },
  },
  { title: 'the receipt of another decision is given', change: (given) => given, options: { decisionId: id(99) } },
  { title: 'a link before the record is removed', change: without(3) },
  { title: 'the link of the record is removed', change: without(5) },
  { title: 'a link after the record is removed', change: without(7) },
  { title: 'the last link is removed', change: without(8) },
  { title: 'all links are removed', change: (given) => ({ ...given, links: [] }) },
  {
    title: 'two links are swapped',
    change: (given) => ({ ...given, links: given.links.with(0, given.links[1]!).with(1, given.links[0]!) }),
  },
  {
    title: 'two links are swapped, with their numbers corrected',
    change: (given) => {
      const [one, two] = [linkOf(given, 3), linkOf(given, 4)]
      return { ...given, links: given.links.with(0, { ...two, seq: 3 }).with(1, { ...one, seq: 4 }) }
    },
  },
  {
    title: 'a link is there twice',
    change: (given) => ({ ...given, links: given.links.toSpliced(1, 0, given.links[0]!) }),
  },
  { title: 'the number of a link is changed', change: ofLink(4, { seq: 40 }) },
  { title: 'the digest of a link is changed', change: ofLink(4, { digest: zeros }) },
  { title: 'the hash of a link is changed', change: ofLink(4, { hash: zeros }) },
  { title: 'the hash of a link is shortened', change: ofLink(4, { hash: 'ab' }) },
  { title: 'the digest of a link is not a hash', change: ofLink(4, { digest: 'x' }) },
  {
    title: 'a link is inserted, and all hashes after it are computed again',
    change: (given) => {
      const shifted = given.links.slice(2).map((link) => ({ ...link, seq: link.seq + 1 }))
      const links = [...given.links.slice(0, 2), { seq: 5, digest: zeros, hash: zeros }, ...shifted]
      return { ...given, record: { ...given.record, seq: 6 }, links: rehash({ ...given, links }, new Map()) }
    },
  },
  { title: 'a signature is removed', change: ofLink(6, { signature: undefined }) },
  { title: 'the signature of the last link is removed', change: ofLink(8, { signature: undefined }) },
  {
    title: 'all signatures are removed',
    change: (given) => ({ ...given, links: given.links.map(({ signature: _, ...link }) => link) }),
  },
  {
    title: 'a signature is shortened',
    change: (given) => ofLink(6, { signature: linkOf(given, 6).signature!.slice(0, 40) })(given),
  },
  {
    title: 'a signature is another text for the same bytes',
    change: (given) => ofLink(6, { signature: otherText(linkOf(given, 6).signature!) })(given),
  },
  {
    title: 'a signature is replaced by the signature of another batch',
    change: (given) => ofLink(6, { signature: linkOf(given, 4).signature })(given),
  },
  {
    title: 'a signature is moved to the link before',
    change: (given) =>
      ofLink(5, { signature: linkOf(given, 6).signature })(
        ofLink(6, { signature: undefined })(given) as DecisionReceipt,
      ),
  },
  {
    title: 'a signature is made with another key',
    change: (given) => ofLink(6, { signature: signBatch(otherEdge.privateKey, linkOf(given, 6).hash) })(given),
  },
  { title: 'the number of the start is changed', change: (given) => ({ ...given, start: { ...given.start, seq: 1 } }) },
  {
    title: 'the hash of the start is changed',
    change: (given) => ({ ...given, start: { ...given.start, hash: zeros } }),
  },
  {
    title: 'the number of the previous anchor is changed',
    change: (given) => ({ ...given, previous_anchor: { ...given.previous_anchor!, seq: 1 } }),
  },
  {
    title: 'the hash of the previous anchor is changed',
    change: (given) => ({ ...given, previous_anchor: { ...given.previous_anchor!, hash: zeros } }),
  },
  {
    title: 'the previous anchor is after the record',
    change: (given) => ({ ...given, previous_anchor: given.next_anchor }),
  },
  {
    title: 'the number of the next anchor is changed',
    change: (given) => ({ ...given, next_anchor: { ...given.next_anchor!, seq: 7 } }),
  },
  {
    title: 'the next anchor is beyond the links',
    change: (given) => ({ ...given, next_anchor: { ...given.next_anchor!, seq: 9 } }),
  },
  {
    title: 'the hash of the next anchor is changed',
    change: (given) => ({ ...given, next_anchor: { ...given.next_anchor!, hash: zeros } }),
  },
  {
    title: 'the next anchor is before the record',
    change: (given) => ({ ...given, next_anchor: given.previous_anchor }),
  },
  { title: 'the links are cut at an earlier batch', change: (given) => ({ ...given, links: given.links.slice(0, 4) }) },
  {
    title: 'the content hash of the policy is changed',
    change: (given) => ({ ...given, policy: { ...policy, content_hash: zeros } }),
  },
  {
    title: 'the version of the policy is changed',
    change: (given) => ({ ...given, policy: { ...policy, version: 4 } }),
  },
  { title: 'the id of the policy is changed', change: (given) => ({ ...given, policy: { ...policy, id: id(99) } }) },
  { title: 'a field of the receipt is removed', change: ({ start: _, ...given }) => given },
  { title: 'an unknown field is added to the receipt', change: (given) => ({ ...given, effect: 'allow' }) },
  { title: 'an unknown field is added to a link', change: ofLink(5, { effect: 'allow' }) },
  { title: 'the file is something else', change: () => ({ keys: [] }) },
  { title: 'the file is not JSON', change: (given) => given, write: (json) => json.slice(1) },
  {
    title: '`effect` of the record is there twice, first with another value',
    change: (given) => given,
    write: beforeEffect('"effect":"allow"'),
  },
  {
    title: '`effect` of the record is there twice, first with another value and with an escape in its name',
    change: (given) => given,
    write: beforeEffect('"\\u0065ffect":"allow"'),
  },
  { title: 'the format is changed', change: (given) => ({ ...given, format: 'receipt' }) },
  { title: 'the policy is removed', change: (given) => ({ ...given, policy: null }) },
  { title: 'the next anchor is removed', change: (given) => ({ ...given, next_anchor: null }) },
  { title: 'the previous anchor is removed', change: (given) => ({ ...given, previous_anchor: null }) },
  {
    title: 'the audit entry of an anchor is changed',
    change: (given) => ({ ...given, next_anchor: { ...given.next_anchor!, entry_id: id(99) } }),
  },
]

/** These changes leave the receipt valid. The verdict shows what it still proves. */
const harmless = [
  'nothing',
  'a signature is removed',
  'the fields are in another order',
  'the policy is removed',
  'the next anchor is removed',
  'the previous anchor is removed',
  'the audit entry of an anchor is changed',
]

const tamper = ({ change, write = (json) => json, options }: Tampering) => {
  return verifyReceiptText(write(JSON.stringify(change(structuredClone(receipt)))), [plane.pem], options)
}

describe('verifying a receipt', () => {
  it('accepts an intact receipt and says what it proves', () => {
    expect(verify(receipt, { tenantId: tenantId.toUpperCase(), decisionId: receipt.record.decision_id })).toEqual({
      valid: true,
      proved: {
        tenant_id: tenantId,
        decision_id: receipt.record.decision_id,
        agent_id: id(5),
        tool: 'mcp:files/delete',
        effect: 'deny',
        mode: 'enforce',
        at: '2026-01-01T00:00:00.000Z',
        approval_id: null,
        edge_id: edgeId,
        kid: keyId(edge.pem),
        seq: 5,
        links: 6,
        policy,
        previous_anchor: receipt.previous_anchor,
        next_anchor: receipt.next_anchor,
      },
    })
  })

  it('says which approval the record names', () => {
    const approval_id = id(10)
    const one = { ...recordOf(1), approval_id, seq: 1, prev: firstPrev }
    const digest = recordDigest(one)
    const hash = chainHash({ prev: firstPrev, seq: 1, digest })
    const approved = {
      ...receipt,
      record: one,
      previous_anchor: null,
      next_anchor: null,
      start: { seq: 0, hash: firstPrev },
      links: [{ seq: 1, digest, hash, signature: signBatch(edge.privateKey, hash) }],
    }
    expect(verify(approved)).toMatchObject({ valid: true, proved: { approval_id } })
  })

  it('accepts an attestation by any of the given keys, and none without keys', () => {
    expect(verifyReceipt(receipt, [otherPlane.pem, plane.pem]).valid).toBe(true)
    expect(verifyReceipt(receipt, []).fault?.reason).toBe('key_unattested')
    expect(verifyReceipt(receipt, ['nonsense']).fault?.reason).toBe('key_unattested')
  })

  it.each(tamperings)('$title', (tampering) => {
    const { valid, fault, proved } = tamper(tampering)
    expect({ valid, isProved: proved !== undefined }).toEqual({ valid: !fault, isProved: !fault })
    expect(valid).toBe(harmless.includes(tampering.title))
  })

  it('docs/receipt-tampering.md shows the current verdicts', async () => {
    expect(tamperings.length).toBeGreaterThan(60)
    const rows = tamperings.map(
      (one) => `| ${one.title} | ${one.options ? optionOf(one.options) : ''} | ${verdictOf(one)} |`,
    )
    await expect(`${introduction}${rows.join('\n')}\n`).toMatchFileSnapshot('../../../docs/receipt-tampering.md')
  })
})

const optionOf = ({ tenantId }: ReceiptOptions) => (tenantId ? '`--tenant`' : '`--decision`')

function verdictOf(tampering: Tampering): string {
  const { fault } = tamper(tampering)
  return fault ? `\`${fault.reason}\`` : 'valid'
}

const introduction = `# Tampering with a receipt

A test (\`packages/proofs/src/decision-receipt.test.ts\`) writes this table. It changes a receipt in each of these ways, and verifies it with the function that
\`mandate decisions verify\` uses. The receipt has six links in batches of two, and an anchor at each end. [decisions.md](decisions.md#verify-a-receipt) explains the faults.

A receipt from which an anchor or the policy was removed is still valid, but it proves less. The verdict shows what it proves. A signature covers all records before it. So
a signature may be removed if a later one is left. The id of the audit entry of an anchor only helps to
find the entry: compare the hash of the anchor with the audit trail.

| What is done | Verified with | Verdict |
|---|---|---|
`
