import { DecisionReceipt } from '@mandate/contract/decisions'
import { keyId } from './audit-chain.ts'
import { canonicalJson } from './canonical.ts'
import { chainHash, edgeKeyAttestationBody, firstPrev, recordDigest, verifyBatch } from './decision-chain.ts'
import { hasNameTwice } from './export-lines.ts'
import { signatureHolds } from './signature.ts'

/** What is wrong with a receipt. `docs/receipt-tampering.md` shows which change of a receipt leads to which fault. */
export type ReceiptFault =
  | 'receipt_unreadable'
  | 'tenant_differs'
  | 'decision_differs'
  | 'key_changed'
  | 'key_unattested'
  | 'link_missing'
  | 'link_changed'
  | 'start_changed'
  | 'record_changed'
  | 'record_missing'
  | 'signature_invalid'
  | 'signature_missing'
  | 'anchor_changed'
  | 'anchor_missing'
  | 'policy_changed'

export interface ReceiptVerdict {
  valid: boolean
  /** Absent if the receipt is valid. `seq` is the number of the faulty link, if the fault is in a link. */
  fault?: { reason: ReceiptFault; text: string; seq?: number }
  /** What the receipt proves. Absent if the receipt is not valid. */
  proved?: {
    tenant_id: string
    decision_id: string
    /** What the signed record says about the call. */
    agent_id: string
    tool: string
    effect: DecisionReceipt['record']['effect']
    mode: DecisionReceipt['record']['mode']
    at: string
    /** Approval that the call used or asked for. The record does not say who decided it. Null without an approval. */
    approval_id: string | null
    /** Edge for which the key was registered. Null for the key of an agent's own edge. */
    edge_id: string | null
    kid: string
    seq: number
    /** Number of records whose place in the chain was checked. */
    links: number
    /** The policy version that the record names, with the content hash that the server has. Null if the receipt has no policy version. */
    policy: { id: string; version: number; content_hash: string } | null
    /** Entries of the audit trail that hold hashes of this chain. The receipt does not prove that the trail has them. */
    previous_anchor: { seq: number; hash: string; entry_id: string } | null
    next_anchor: { seq: number; hash: string; entry_id: string } | null
  }
}

export interface ReceiptOptions {
  /** Expected tenant of the decision. */
  tenantId?: string | undefined
  /** Expected id of the decision. */
  decisionId?: string | undefined
}

/**
 * Verifies the text of a receipt without the server. The parameters are those of `verifyReceipt`. People also read receipts with other
 * programs, so no object may have a name twice.
 */
export function verifyReceiptText(json: string, keys: readonly string[], options: ReceiptOptions = {}): ReceiptVerdict {
  let sent: unknown
  try {
    sent = JSON.parse(json)
  } catch {
    return faulty('receipt_unreadable', 'the file is not a decision receipt: it is not JSON')
  }
  if (hasNameTwice(json, sent)) return faulty('receipt_unreadable', 'an object in the file has a name twice')
  return verifyReceipt(sent, keys, options)
}

/**
 * Verifies the receipt of a decision without the server.
 * @param sent the receipt, as parsed JSON
 * @param keys the control plane's public keys, PEM. One of them must have attested the key of the edge
 */
export function verifyReceipt(
  sent: unknown,
  keys: readonly string[],
  { tenantId, decisionId }: ReceiptOptions = {},
): ReceiptVerdict {
  const { data: receipt, error } = DecisionReceipt.safeParse(sent)
  if (!receipt) {
    const { path = [], message } = error.issues[0] ?? {}
    return faulty('receipt_unreadable', `the file is not a decision receipt: ${path.join('.')}: ${message}`)
  }
  const unknown = unknownField(sent as object, receipt)
  if (unknown !== undefined) {
    return faulty('receipt_unreadable', `the file has the field ${unknown}, which no hash or signature covers`)
  }
  // The digest is over the record as it was sent. `receipt.record` can differ, because the schema normalizes its values.
  const { record } = sent as { record: Record<string, unknown> }
  return (
    checkSubject(receipt, { tenantId, decisionId }) ??
    checkKey(receipt, keys) ??
    checkLinks(receipt) ??
    checkRecord(receipt, record) ??
    checkSignatures(receipt) ??
    checkAnchors(receipt) ??
    checkPolicy(receipt) ?? { valid: true, proved: provedBy(receipt) }
  )
}

type Check = ReceiptVerdict | undefined

/** Returns the path of a field that the schema does not have. Leaves out the record, because the digest covers each of its fields. */
function unknownField(sent: object, known: object, path: readonly string[] = []): string | undefined {
  for (const [name, value] of Object.entries(sent)) {
    const own = [...path, name]
    if (!Object.hasOwn(known, name)) return own.join('.')
    if (typeof value !== 'object' || value === null || own.join('.') === 'record') continue
    const inner = unknownField(value, known[name as keyof typeof known], own)
    if (inner !== undefined) return inner
  }
}

function faulty(reason: ReceiptFault, text: string, seq?: number): ReceiptVerdict {
  return { valid: false, fault: { reason, text, ...(seq !== undefined && { seq }) } }
}

function checkSubject({ tenant_id, record }: DecisionReceipt, { tenantId, decisionId }: ReceiptOptions): Check {
  if (tenantId !== undefined && tenantId.toLowerCase() !== tenant_id) {
    return faulty('tenant_differs', `the receipt is of the organization ${tenant_id}`)
  }
  if (decisionId !== undefined && decisionId.toLowerCase() !== record.decision_id) {
    return faulty('decision_differs', `the receipt is about the decision ${record.decision_id}`)
  }
}

function checkKey({ tenant_id, key }: DecisionReceipt, keys: readonly string[]): Check {
  const { kid, public_key_pem, edge_id, attestation } = key
  if (keyIdOf(public_key_pem) !== kid) return faulty('key_changed', 'kid is not the id of the public key of the edge')
  const body = canonicalJson(edgeKeyAttestationBody({ tenant_id, edge_id, kid, public_key_pem }))
  if (!keys.some((pem) => signatureHolds(pem, body, attestation))) {
    return faulty('key_unattested', 'none of the given keys of the control plane attested the key of the edge')
  }
}

function keyIdOf(pem: string): string | null {
  try {
    return keyId(pem)
  } catch {
    return null
  }
}

/** Checks that the links follow each other without a gap, from `start` on. */
function checkLinks({ start, links }: DecisionReceipt): Check {
  let { seq, hash } = start
  if (seq < 0 || !isHash(hash) || (seq === 0 && hash !== firstPrev)) {
    return faulty('start_changed', 'the chain of a key begins at 0, with a hash of 64 zeros')
  }
  for (const link of links) {
    if (link.seq !== seq + 1) return faulty('link_missing', `the link ${seq + 1} is missing`, seq + 1)
    if (!isHash(link.digest) || link.hash !== chainHash({ prev: hash, seq: link.seq, digest: link.digest })) {
      const text = 'the hash of the link does not follow from the hash before it, the number and the digest'
      return faulty('link_changed', text, link.seq)
    }
    ;({ seq, hash } = link)
  }
}

const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text)

/** Checks that the record matches the link with its number. */
function checkRecord({ start, links, record: { seq, prev } }: DecisionReceipt, record: object): Check {
  if (seq === undefined || prev === undefined) return faulty('record_missing', 'the record has no place in a chain')
  const link = linkAt({ start, links }, seq)
  if (!link) return faulty('record_missing', `there is no link with the number of the record, ${seq}`, seq)
  if (digestOf(record) !== link.digest) {
    return faulty('record_changed', 'the digest of the record differs from the digest of its link', seq)
  }
  const before = seq === start.seq + 1 ? start : linkAt({ start, links }, seq - 1)
  if (prev !== before?.hash) return faulty('record_changed', 'prev of the record is not the hash before it', seq)
}

function digestOf(record: object): string | null {
  try {
    return recordDigest(record)
  } catch {
    return null
  }
}

/** Returns the link with a number. The links have consecutive numbers. */
function linkAt({ start, links }: Pick<DecisionReceipt, 'start' | 'links'>, seq: number) {
  return links[seq - start.seq - 1]
}

/** Checks all signatures, and that one of them covers the record. A signature covers its link and all links before it. */
function checkSignatures({ key, links, record }: DecisionReceipt): Check {
  const signed = links.filter(({ signature }) => signature !== undefined)
  const wrong = signed.find(({ hash, signature = '' }) => !verifyBatch(key.public_key_pem, hash, signature))
  if (wrong) return faulty('signature_invalid', 'the key of the edge did not sign the hash of the link', wrong.seq)
  const last = signed.at(-1)
  if (!last || last.seq < (record.seq as number)) {
    return faulty('signature_missing', 'no signature covers the record', record.seq)
  }
  const end = links.at(-1) as (typeof links)[number]
  if (end.seq > last.seq) return faulty('signature_missing', 'no signature covers the last link', end.seq)
}

function checkAnchors({ start, links, record, previous_anchor: previous, next_anchor: next }: DecisionReceipt): Check {
  const seq = record.seq as number
  if (previous) {
    if (previous.seq >= seq) return faulty('anchor_changed', 'the previous anchor is not before the record')
    if (previous.seq !== start.seq || previous.hash !== start.hash) {
      return faulty('anchor_changed', 'the links do not begin at the previous anchor', previous.seq)
    }
  }
  if (next) {
    if (next.seq < seq) return faulty('anchor_changed', 'the next anchor is before the record')
    const link = linkAt({ start, links }, next.seq)
    if (!link) return faulty('anchor_missing', 'the links do not reach the next anchor', next.seq)
    if (link.hash !== next.hash) {
      return faulty('anchor_changed', 'the hash of the next anchor is not the hash of the link', next.seq)
    }
  }
}

/** Checks that the policy version and its content hash are those that the record names. */
function checkPolicy({ policy, record: { policy_id, policy_version, policy_hash } }: DecisionReceipt): Check {
  if (!policy) return undefined
  if (policy.id !== policy_id || policy.version !== policy_version) {
    return faulty('policy_changed', 'the record names another policy version')
  }
  if (policy_hash !== undefined && policy.content_hash !== policy_hash) {
    return faulty('policy_changed', 'the content hash of the policy version is not the one that the record names')
  }
}

function provedBy({
  tenant_id,
  record,
  key,
  policy,
  links,
  previous_anchor,
  next_anchor,
}: DecisionReceipt): NonNullable<ReceiptVerdict['proved']> {
  return {
    tenant_id,
    decision_id: record.decision_id,
    agent_id: record.agent_id,
    tool: record.tool,
    effect: record.effect,
    mode: record.mode,
    at: record.at,
    approval_id: record.approval_id ?? null,
    edge_id: key.edge_id,
    kid: key.kid,
    seq: record.seq as number,
    links: links.length,
    policy,
    previous_anchor,
    next_anchor,
  }
}
